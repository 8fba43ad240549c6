import type { Clock } from '../core/clock.js'
import type { Owner } from '../owner.js'
import { FenceCounters } from './fence-counters.js'

export type Side = 'r' | 'w'

/** What stands in the store: one owner on one side. */
export type Member = `${Side}:${Owner}`

/** As in `lua/parts/rw-holds.lua`. */
const FENCE_RETENTION_MS = 86_400_000

export interface MemoryHold {
  readonly side: Side
  readonly owner: Owner
  readonly fence: bigint
  count: number
  endsAt: number
}

/** One lock: who holds it, who waits in which order, and until when each place stands unless it is kept. */
export class MemoryReadWriteLock {
  readonly holds = new Map<Member, MemoryHold>()
  readonly line = new Set<Member>()
  readonly alive = new Map<Member, number>()

  get writer(): MemoryHold | undefined {
    for (const hold of this.holds.values()) if (hold.side === 'w') return hold
    return undefined
  }

  /** Whether the holds as they are leave room for the member. */
  admits(member: Member): boolean {
    if (sideOf(member) === 'w') return this.holds.size === 0
    const { writer } = this
    return !writer || writer.owner === ownerOf(member)
  }

  leave(member: Member): void {
    this.line.delete(member)
    this.alive.delete(member)
  }

  get first(): Member | undefined {
    const [first] = this.line
    return first
  }
}

type GrantListener = (member: Member) => void

/** The read-write locks that a server would keep: what `lua/parts/rw-*.lua` does. */
export class MemoryReadWriteLocks {
  readonly #locks = new Map<string, MemoryReadWriteLock>()
  readonly #listeners = new Map<string, Set<GrantListener>>()
  readonly #fences: FenceCounters

  constructor(readonly clock: Clock) {
    this.#fences = new FenceCounters(clock)
  }

  /** The lock, without the holds whose lease has ended. What is changed in it is finished by {@link tidy}. */
  open(name: string): MemoryReadWriteLock {
    const lock = this.#locks.get(name) ?? new MemoryReadWriteLock()
    const now = this.clock.now()
    for (const [member, { endsAt }] of lock.holds) if (endsAt <= now) lock.holds.delete(member)
    this.#locks.set(name, lock)
    return lock
  }

  /** Begins a tenure. Each write has a token of its own; reads have that of the write before them. */
  grant(name: string, lock: MemoryReadWriteLock, member: Member, leaseMs: number): MemoryHold {
    const side = sideOf(member)
    const last = side === 'r' ? this.#fences.last(name) : undefined
    const hold: MemoryHold = {
      side,
      owner: ownerOf(member),
      fence: last ?? this.#fences.mint(name, FENCE_RETENTION_MS + leaseMs),
      count: 1,
      endsAt: this.clock.now() + leaseMs,
    }
    lock.holds.set(member, hold)
    lock.leave(member)
    return hold
  }

  /** The last token given out. */
  lastFence(name: string): bigint | undefined {
    return this.#fences.last(name)
  }

  /** Gives the member a place at the end, unless it has one, and keeps it. */
  join(lock: MemoryReadWriteLock, member: Member, waiterLeaseMs: number): void {
    lock.alive.set(member, this.clock.now() + waiterLeaseMs)
    lock.line.add(member)
  }

  /**
   * Lets in whoever stands at the head and may enter: one writer, or all readers in front of the next writer. Who has not been
   * heard of is dropped. Stops at `me`, who is here and looks after itself.
   */
  advance(name: string, lock: MemoryReadWriteLock, waiterLeaseMs: number, me?: Member): void {
    for (let head = lock.first; head !== undefined && head !== me; head = lock.first) {
      if ((lock.alive.get(head) ?? 0) <= this.clock.now()) {
        lock.leave(head)
      } else if (lock.admits(head)) {
        this.grant(name, lock, head, waiterLeaseMs)
        this.#tell(name, head)
      } else {
        return
      }
    }
  }

  /** How long until the head of the line (`me` where there is none) could enter with nobody releasing. */
  obstacleMs(lock: MemoryReadWriteLock, me?: Member): number {
    const { writer } = lock
    const reads = sideOf(lock.first ?? me ?? 'w:-:0') === 'r'
    const ends = writer && reads ? [writer.endsAt] : [...lock.holds.values()].map(({ endsAt }) => endsAt)
    return Math.max(0, Math.max(...ends) - this.clock.now())
  }

  /** Leaves nothing behind of a lock that nobody holds or waits for. */
  tidy(name: string, lock: MemoryReadWriteLock): void {
    if (lock.line.size === 0 && lock.holds.size === 0) this.#locks.delete(name)
  }

  /** Who is told of grants to that client. */
  listen(name: string, clientId: string, listener: GrantListener): void {
    const channel = channelOf(name, clientId)
    this.#listeners.set(channel, (this.#listeners.get(channel) ?? new Set()).add(listener))
  }

  ignore(name: string, clientId: string, listener: GrantListener): void {
    const channel = channelOf(name, clientId)
    const listeners = this.#listeners.get(channel)
    if (listeners?.delete(listener) && listeners.size === 0) this.#listeners.delete(channel)
  }

  names(): string[] {
    return [...this.#locks.keys()]
  }

  /** Told once what runs now is done, as a message would arrive. */
  #tell(name: string, member: Member): void {
    const channel = channelOf(name, clientOf(member))
    for (const listener of this.#listeners.get(channel) ?? []) {
      queueMicrotask(() => {
        if (this.#listeners.get(channel)?.has(listener)) listener(member)
      })
    }
  }
}

export function clientOf(member: Member): string {
  return ownerOf(member).slice(0, ownerOf(member).indexOf(':'))
}

export function sideOf(member: Member): Side {
  return member.startsWith('w:') ? 'w' : 'r'
}

export function ownerOf(member: Member): Owner {
  const [, client = '', number = ''] = member.split(':')
  return `${client}:${Number(number)}`
}

function channelOf(name: string, clientId: string): string {
  return `${clientId}:${name}`
}
