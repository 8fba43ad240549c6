import type { Owner } from '../identity/owner.js'
import type { AssignRequest, Entry, EntryWatch, Line, SessionGrant, StandRequest } from '../session/link.js'
import type { Clock, Timer } from '../time/clock.js'

/** Sessions and leases are of whole ticks, and at least two of them. */
const TICK_MS = 1_000
const LEAST_TICKS = 2

/** Something that ends unless it is kept alive. */
class Term {
  #endsAt = 0
  #timer: Timer | undefined

  constructor(
    private readonly clock: Clock,
    readonly ttlMs: number,
    private readonly onEnd: () => void,
  ) {
    this.extend()
  }

  extend(): void {
    this.stop()
    this.#endsAt = this.clock.now() + this.ttlMs
    this.#timer = this.clock.startTimer(this.onEnd, this.ttlMs)
  }

  get remainingMs(): number {
    return this.#endsAt - this.clock.now()
  }

  stop(): void {
    this.#timer?.cancel()
  }
}

interface StandingEntry {
  readonly key: string
  readonly session: string
  readonly sequence: bigint
  owner: Owner
  /** Its own lease, where it has one. */
  lease: Term | undefined
}

/** What a server with sessions keeps: sessions, and lines of entries. All of it is gone with the process. */
export class Ensemble {
  #lastSequence = 0n
  #lastSession = 0
  readonly #sessions = new Map<string, Term>()
  readonly #lines = new Map<string, StandingEntry[]>()
  readonly #watches = new Map<string, Set<() => void>>()

  constructor(readonly clock: Clock) {}

  begin(ttlMs: number): SessionGrant {
    this.#lastSession += 1
    const session = String(this.#lastSession)
    const term = this.#term(ttlMs, () => this.end(session))
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
    for (const [name, line] of [...this.#lines])
      for (const entry of [...line])
        if (entry.session === session && !entry.lease) this.remove(name, entry.key)
  }

  stand({ session, name, key, owner, ifFree }: StandRequest): Line | undefined {
    if (!this.#sessions.has(session)) return undefined
    const line = this.#lines.get(name) ?? []
    const stands = line.some((entry) => entry.key === key)
    if (!stands && !(ifFree && line.length > 0)) {
      this.#lastSequence += 1n
      line.push({ key, session, owner, sequence: this.#lastSequence, lease: undefined })
      this.#lines.set(name, line)
    }
    return this.read(name)
  }

  read(name: string): Line {
    const line = this.#lines.get(name) ?? []
    return line.map(({ key, session, owner, sequence, lease }): Entry => {
      const remainingMs = (lease ?? this.#sessions.get(session))?.remainingMs ?? 0
      return { key, session, owner, sequence, remainingMs }
    })
  }

  assign({ name, key, session, owner, leaseMs }: AssignRequest): boolean {
    const entry = this.#lines.get(name)?.find((each) => each.key === key)
    if (!entry || (leaseMs === undefined && !this.#sessions.has(session))) return false
    entry.owner = owner
    entry.lease?.stop()
    entry.lease = leaseMs === undefined ? undefined : this.#term(leaseMs, () => this.remove(name, key))
    return true
  }

  remove(name: string, key: string): boolean {
    const line = this.#lines.get(name) ?? []
    const entry = line.find((each) => each.key === key)
    if (!entry) return false
    entry.lease?.stop()
    const rest = line.filter((each) => each !== entry)
    if (rest.length > 0) this.#lines.set(name, rest)
    else this.#lines.delete(name)
    const told = this.#watches.get(key)
    this.#watches.delete(key)
    // After the current step, as a message would arrive.
    for (const onGone of told ?? []) queueMicrotask(onGone)
    return true
  }

  watch(name: string, key: string, onGone: () => void): EntryWatch {
    const stands = this.#lines.get(name)?.some((entry) => entry.key === key)
    if (!stands) {
      queueMicrotask(onGone)
      return { close: () => undefined }
    }
    const watches = this.#watches.get(key) ?? new Set()
    this.#watches.set(key, watches.add(onGone))
    return { close: () => watches.delete(onGone) }
  }

  names(): readonly string[] {
    return [...this.#lines.keys()]
  }

  #term(ttlMs: number, onEnd: () => void): Term {
    const ticks = Math.max(Math.ceil(ttlMs / TICK_MS), LEAST_TICKS)
    return new Term(this.clock, ticks * TICK_MS, onEnd)
  }
}
