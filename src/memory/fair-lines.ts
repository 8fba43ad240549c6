import type { Owner } from '../owner.js'
import type { MemoryLocks } from './locks.js'

/** The line of one lock: who waits in which order, and until when each client's places stand. */
class Line {
  readonly owners = new Set<Owner>()
  readonly alive = new Map<string, { readonly lapsesAt: number; readonly leaseMs: number }>()
  /** Who was granted the lock in line and has not asked for it since. */
  unclaimed: Owner | undefined
}

type GrantListener = (owner: Owner) => void

/** The lines of waiters that a server would keep beside its locks. */
export class MemoryFairLines {
  readonly #lines = new Map<string, Line>()
  readonly #listeners = new Map<string, GrantListener>()

  constructor(readonly locks: MemoryLocks) {}

  /** Gives the owner a place at the end, unless it has one, and keeps its client's places. */
  join(name: string, owner: Owner, waiterLeaseMs: number): void {
    const line = this.#lines.get(name) ?? new Line()
    this.#lines.set(name, line)
    line.owners.add(owner)
    this.#keepPlaces(line, clientOf(owner), waiterLeaseMs)
  }

  leave(name: string, owner: Owner): void {
    const line = this.#lines.get(name)
    line?.owners.delete(owner)
    this.#tidy(name)
  }

  /** Keeps a client's places. Tells whether they may be gone. */
  keepUp(name: string, clientId: string, waiterLeaseMs: number): boolean {
    const line = this.#lines.get(name)
    const lapsed = this.#placeLeaseMs(line, clientId) === undefined
    if (line && line.owners.size > 0) this.#keepPlaces(line, clientId, waiterLeaseMs)
    return lapsed
  }

  /** The first in line whose client is alive, or that is `me`, who is here; those before it are dropped. */
  head(name: string, me?: Owner): Owner | undefined {
    const line = this.#lines.get(name)
    for (const owner of line?.owners ?? []) {
      if (owner === me || this.#placeLeaseMs(line, clientOf(owner)) !== undefined) return owner
      this.leave(name, owner)
    }
    return undefined
  }

  /** Gives a lock that is free to the first in line, for as long as its client keeps places, and tells it. False when nobody is. */
  grantNext(name: string): boolean {
    if (this.locks.find(name)) return false
    const head = this.head(name)
    const line = this.#lines.get(name)
    const leaseMs = head && this.#placeLeaseMs(line, clientOf(head))
    if (!head || !line || leaseMs === undefined) return false
    this.locks.create(name, leaseMs).holds.set(head, 1)
    line.unclaimed = head
    this.leave(name, head)
    const listener = this.#listeners.get(channelOf(name, clientOf(head)))
    queueMicrotask(() => {
      if (this.#listeners.get(channelOf(name, clientOf(head))) === listener) listener?.(head)
    })
    return true
  }

  /** The owner has the lock, and knows. */
  claimed(name: string, owner: Owner): void {
    const line = this.#lines.get(name)
    if (line?.unclaimed === owner) line.unclaimed = undefined
    this.leave(name, owner)
  }

  /** Whether the lock was granted to somebody of that client who has not asked since. */
  unclaimedBy(name: string, clientId: string): boolean {
    const unclaimed = this.#lines.get(name)?.unclaimed
    return (
      unclaimed !== undefined &&
      clientOf(unclaimed) === clientId &&
      this.locks.find(name)?.holds.has(unclaimed) === true
    )
  }

  listen(name: string, clientId: string, listener: GrantListener): void {
    this.#listeners.set(channelOf(name, clientId), listener)
  }

  ignore(name: string, clientId: string, listener: GrantListener): void {
    const channel = channelOf(name, clientId)
    if (this.#listeners.get(channel) === listener) this.#listeners.delete(channel)
  }

  /** How many lines there are. */
  get size(): number {
    return this.#lines.size
  }

  /** The lease of a client's places, while they stand. */
  #placeLeaseMs(line: Line | undefined, clientId: string): number | undefined {
    const places = line?.alive.get(clientId)
    return places && places.lapsesAt > this.locks.clock.now() ? places.leaseMs : undefined
  }

  #keepPlaces(line: Line, clientId: string, leaseMs: number): void {
    line.alive.set(clientId, { lapsesAt: this.locks.clock.now() + leaseMs, leaseMs })
  }

  #tidy(name: string): void {
    const line = this.#lines.get(name)
    if (!line || line.owners.size > 0) return
    line.alive.clear()
    const granted = line.unclaimed && this.locks.find(name)?.holds.has(line.unclaimed)
    if (!granted) this.#lines.delete(name)
  }
}

export function clientOf(owner: Owner): string {
  return owner.slice(0, owner.indexOf(':'))
}

function channelOf(name: string, clientId: string): string {
  return `${clientId}:${name}`
}
