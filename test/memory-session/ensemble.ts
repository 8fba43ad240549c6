import { Listeners } from '../../src/base/collections/listeners.js'
import type { Clock } from '../../src/base/time/clock.js'
import { queueMicrotask } from '../../src/base/time/machine-time.js'
import type { CellWrite } from '../../src/stores/session/cells.js'
import type { Entry, EntryWatch, Line } from '../../src/stores/session/line.js'
import type { LeaseRequest, StandRequest } from '../../src/stores/session/link.js'
import type { LockName } from '../../src/stores/session/lock-name.js'
import { heard, StoredCells } from './stored-cells.js'
import { Term } from './term.js'

interface StandingEntry extends Omit<Entry, 'remainingMs'> {
  readonly session: string
  /** Its own lease, where it has one. */
  lease: Term | undefined
}

/** What a server with sessions keeps: sessions, lines of entries, and cells. All of it ends with the process. */
export class Ensemble {
  readonly cells: StoredCells
  #lastOrder = 0n
  #lastSession = 0
  readonly #sessions = new Map<string, Term>()
  readonly #lines = new Map<string, { readonly lock: LockName; entries: StandingEntry[] }>()
  readonly #watches = new Listeners<void>()
  readonly #ears = new Listeners<void>()

  constructor(readonly clock: Clock) {
    this.cells = new StoredCells(clock)
  }

  /** The server's time for the session is in whole ticks. */
  begin(leastMs: number): { readonly session: string; readonly ttlMs: number } {
    this.#lastSession += 1
    const session = String(this.#lastSession)
    const term = new Term(this.clock, leastMs, () => this.end(session))
    this.#sessions.set(session, term)
    return { session, ttlMs: term.ttlMs }
  }

  keepAlive(session: string): boolean {
    this.#sessions.get(session)?.extend()
    return this.#sessions.has(session)
  }

  end(session: string): void {
    this.#sessions.get(session)?.stop()
    this.#sessions.delete(session)
    for (const { lock, entries } of [...this.#lines.values()])
      for (const entry of entries) if (entry.session === session && !entry.lease) this.remove(lock, entry.key)
  }

  stand(request: StandRequest): Line | undefined {
    const { session, lock, key, mode, within, permits, keeps, ifFree } = request
    if (!this.#sessions.has(session)) return undefined
    const line = this.#lines.get(idOf(lock)) ?? { lock, entries: [] }
    if (!line.entries.some((entry) => entry.key === key) && !(ifFree && line.entries.length > 0)) {
      this.#lastOrder += 1n
      const order = this.#lastOrder
      const entry = { key, mode, order, within, permits, keeps, fence: order, session, lease: undefined }
      line.entries = [...line.entries, entry]
      this.#lines.set(idOf(lock), line)
      this.ask(lock)
    }
    return this.read(lock)
  }

  read(lock: LockName): Line {
    return this.#entriesOf(lock).map(({ session, lease, ...entry }): Entry => {
      return { ...entry, remainingMs: (lease ?? this.#sessions.get(session))?.remainingMs ?? 0 }
    })
  }

  lease({ lock, key, session, leaseMs }: LeaseRequest): boolean {
    const entry = this.#entriesOf(lock).find((each) => each.key === key)
    if (!entry || (leaseMs === undefined && !this.#sessions.has(session))) return false
    entry.lease?.stop()
    entry.lease =
      leaseMs === undefined ? undefined : new Term(this.clock, leaseMs, () => this.remove(lock, key))
    return true
  }

  remove(lock: LockName, key: string): boolean {
    const line = this.#lines.get(idOf(lock))
    const entry = line?.entries.find((each) => each.key === key)
    if (!line || !entry) return false
    entry.lease?.stop()
    line.entries = line.entries.filter((each) => each !== entry)
    if (line.entries.length === 0) this.#lines.delete(idOf(lock))
    this.ask(lock)
    this.#watches.tellLast(watched(entry))
    return true
  }

  watch(lock: LockName, entry: Pick<Entry, 'key' | 'order'>, onGone: () => void): EntryWatch {
    if (!this.#entriesOf(lock).some((each) => watched(each) === watched(entry))) {
      queueMicrotask(onGone)
      return { close: () => undefined }
    }
    return heard(this.#watches, watched(entry), onGone)
  }

  /** Calls back when something happens in that line, from now on. */
  hear(lock: LockName, onNews: () => void): EntryWatch {
    return heard(this.#ears, idOf(lock), onNews)
  }

  /** Tells those who hear of that line. */
  ask(lock: LockName): void {
    this.#ears.tell(idOf(lock))
  }

  write(request: CellWrite): bigint | undefined {
    const { whileStands: entry } = request
    if (entry && !this.#entriesOf(entry.lock).some(({ key }) => key === entry.key)) return undefined
    return this.cells.write(request)
  }

  /** The locks in whose lines somebody stands. */
  get locks(): readonly LockName[] {
    return [...this.#lines.values()].map(({ lock }) => lock)
  }

  #entriesOf(lock: LockName): readonly StandingEntry[] {
    return this.#lines.get(idOf(lock))?.entries ?? []
  }
}

/** Another program may use a key again. */
function watched({ key, order }: Pick<Entry, 'key' | 'order'>): string {
  return `${order} ${key}`
}

function idOf({ keyspace, name }: LockName): string {
  return `${keyspace} ${name}`
}
