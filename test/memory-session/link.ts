import { leaseDeadline } from '../../src/port/lease.js'
import type { LockKeyspace } from '../../src/port/store.js'
import type { Cells } from '../../src/stores/session/cells.js'
import type { Entry, EntryWatch, Line } from '../../src/stores/session/line.js'
import type {
  LeaseRequest,
  LinkListener,
  SessionGrant,
  SessionLink,
  StandRequest,
} from '../../src/stores/session/link.js'
import type { LockName } from '../../src/stores/session/lock-name.js'
import type { Ensemble } from './ensemble.js'

/** One client's way to an ensemble in its own process. */
export class MemoryLink implements SessionLink {
  readonly #own = new Map<string, EntryWatch>()

  constructor(
    protected readonly ensemble: Ensemble,
    private readonly listener: LinkListener,
  ) {}

  async begin(leastMs: number): Promise<SessionGrant> {
    const { session, ttlMs } = this.ensemble.begin((leastMs + 2) / 0.99)
    return { session, aliveMs: leaseDeadline(0, ttlMs) }
  }

  async keepAlive(session: string): Promise<boolean> {
    return this.ensemble.keepAlive(session)
  }

  async end(session: string): Promise<void> {
    this.ensemble.end(session)
  }

  async stand(request: StandRequest): Promise<Line | undefined> {
    const { lock, key, keeps } = request
    const line = this.ensemble.stand(request)
    const own = line?.find((entry) => entry.key === key)
    if (own && !this.#own.has(key)) {
      const watch = this.ensemble.watch(lock, own, () => this.gone(lock, key))
      const ear = keeps ? this.ensemble.hear(lock, () => this.asked(lock, key)) : undefined
      const close = (): void => {
        watch.close()
        ear?.close()
      }
      this.#own.set(key, { close })
    }
    return line
  }

  async read(lock: LockName): Promise<Line> {
    return this.ensemble.read(lock)
  }

  async remove(lock: LockName, key: string): Promise<boolean> {
    this.#forget(key)
    return this.ensemble.remove(lock, key)
  }

  async lease(request: LeaseRequest): Promise<boolean> {
    return this.ensemble.lease(request)
  }

  watch(lock: LockName, entry: Entry, onGone: (sure: boolean) => void): EntryWatch {
    return this.ensemble.watch(lock, entry, () => onGone(true))
  }

  hears(): boolean {
    return true
  }

  async ask(lock: LockName): Promise<void> {
    this.ensemble.ask(lock)
  }

  get cells(): Cells {
    const { ensemble } = this
    return {
      read: async (cell) => ensemble.cells.read(cell),
      readBeside: async (cell, lock) => ({ cell: ensemble.cells.read(cell), line: ensemble.read(lock) }),
      write: async (request) => ensemble.write(request),
      watch: (cell, onChange) => ({ ...ensemble.cells.watch(cell, onChange), confirmed: Promise.resolve() }),
      now: () => ensemble.clock.now(),
    }
  }

  async *names(keyspace: LockKeyspace): AsyncIterable<string> {
    for (const lock of this.ensemble.locks) if (lock.keyspace === keyspace) yield lock.name
  }

  close(): void {
    for (const key of [...this.#own.keys()]) this.#forget(key)
  }

  protected gone(lock: LockName, key: string): void {
    if (!this.#own.has(key)) return
    this.#forget(key)
    this.listener.gone(lock, key)
  }

  protected asked(lock: LockName, key: string): void {
    if (this.#own.has(key)) this.listener.asked(lock)
  }

  #forget(key: string): void {
    this.#own.get(key)?.close()
    this.#own.delete(key)
  }
}
