import type { Owner } from '../owner.js'
import type { MemoryLocks } from './locks.js'

/** The line of one lock: who waits in which order, and until when each place stands unless it is kept. */
class Line {
  readonly owners = new Set<Owner>()
  readonly alive = new Map<Owner, { readonly lapsesAt: number; readonly leaseMs: number }>()
}

type GrantListener = (owner: Owner) => void

/** The lines of waiters that a server would keep beside its locks. */
export class MemoryFairLines {
  readonly #lines = new Map<string, Line>()
  readonly #listeners = new Map<string, GrantListener>()

  constructor(readonly locks: MemoryLocks) {}

  /** Gives the owner a place at the end, unless it has one, and keeps it. */
  join(name: string, owner: Owner, waiterLeaseMs: number): void {
    const line = this.#lines.get(name) ?? new Line()
    this.#lines.set(name, line)
    line.owners.add(owner)
    this.#keep(line, owner, waiterLeaseMs)
  }

  leave(name: string, owner: Owner): void {
    const line = this.#lines.get(name)
    line?.owners.delete(owner)
    line?.alive.delete(owner)
    if (line?.owners.size === 0) this.#lines.delete(name)
  }

  /** Keeps these places, as far as they are there. */
  keepUp(name: string, owners: readonly Owner[], waiterLeaseMs: number): void {
    const line = this.#lines.get(name)
    for (const owner of owners) if (line?.owners.has(owner)) this.#keep(line, owner, waiterLeaseMs)
  }

  has(name: string, owner: Owner): boolean {
    return this.#lines.get(name)?.owners.has(owner) === true
  }

  /** The first in line whose place is kept, or that is `me`, who is here; those before it are dropped. */
  head(name: string, me?: Owner): Owner | undefined {
    const line = this.#lines.get(name)
    for (const owner of line?.owners ?? []) {
      if (owner === me || this.#placeLeaseMs(line, owner) !== undefined) return owner
      this.leave(name, owner)
    }
    return undefined
  }

  /** Gives a lock that is free to the first in line, for as long as its place would last, and tells it. False when nobody is. */
  grantNext(name: string): boolean {
    if (this.locks.find(name)) return false
    const head = this.head(name)
    const line = this.#lines.get(name)
    const leaseMs = head && this.#placeLeaseMs(line, head)
    if (!head || !line || leaseMs === undefined) return false
    this.locks.create(name, leaseMs).holds.set(head, 1)
    this.leave(name, head)
    const listener = this.#listeners.get(channelOf(name, clientOf(head)))
    queueMicrotask(() => {
      if (this.#listeners.get(channelOf(name, clientOf(head))) === listener) listener?.(head)
    })
    return true
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

  /** The lease of a place, while it stands. */
  #placeLeaseMs(line: Line | undefined, owner: Owner): number | undefined {
    const place = line?.alive.get(owner)
    return place && place.lapsesAt > this.locks.clock.now() ? place.leaseMs : undefined
  }

  #keep(line: Line, owner: Owner, leaseMs: number): void {
    line.alive.set(owner, { lapsesAt: this.locks.clock.now() + leaseMs, leaseMs })
  }
}

export function clientOf(owner: Owner): string {
  return owner.slice(0, owner.indexOf(':'))
}

function channelOf(name: string, clientId: string): string {
  return `${clientId}:${name}`
}
