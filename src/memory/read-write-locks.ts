import type { Owner } from '../identity/owner.js'
import { modeOf, ownerOf, type Place } from '../rows/place.js'
import type { Clock } from '../time/clock.js'
import { FenceCounters } from './fence-counters.js'
import type { Served } from './line.js'
import { MemoryLines } from './lines.js'

/** Reading or writing. */
export type Side = 'r' | 'w'

/** One owner on one side, which holds or waits. */
export type Member = Place<Side>

/** How long a counter of tokens outlives the lease it was last used for. As in Lua. */
const FENCE_RETENTION_MS = 86_400_000

export interface MemoryHold {
  readonly owner: Owner
  readonly fence: bigint
  count: number
  endsAt: number
}

/** One lock and its holds. */
export class MemoryReadWriteLock {
  readonly holds = new Map<Member, MemoryHold>()

  /** The owner that writes, if one does. Beside a writer there is at most its own read. */
  get writer(): MemoryHold | undefined {
    if (this.holds.size > 2) return undefined
    for (const [member, hold] of this.holds) if (modeOf(member) === 'w') return hold
    return undefined
  }

  /** Whether the holds as they are leave room for the member. */
  admits(member: Member): boolean {
    if (modeOf(member) === 'w') return this.holds.size === 0
    const { writer } = this
    return !writer || writer.owner === ownerOf(member)
  }
}

/** The read-write locks that a server would keep, each with its line and the last token. */
export class MemoryReadWriteLocks {
  readonly lines: MemoryLines<Member>
  readonly fences: FenceCounters
  readonly #locks = new Map<string, MemoryReadWriteLock>()

  constructor(readonly clock: Clock) {
    this.fences = new FenceCounters(clock)
    this.lines = new MemoryLines(clock, (name) => this.#serve(name))
  }

  /** The lock, without the holds whose lease has ended. */
  find(name: string): MemoryReadWriteLock {
    const lock = this.#locks.get(name)
    if (!lock) return new MemoryReadWriteLock()
    const now = this.clock.now()
    for (const [member, { endsAt }] of lock.holds) if (endsAt <= now) lock.holds.delete(member)
    if (lock.holds.size === 0) this.#locks.delete(name)
    return lock
  }

  /** Begins a tenure. Each write has a new token; a read has that of the write before it. */
  grant(name: string, member: Member, leaseMs: number): MemoryHold {
    const last = modeOf(member) === 'r' ? this.fences.last(name) : undefined
    const hold = {
      owner: ownerOf(member),
      fence: last ?? this.fences.mint(name, FENCE_RETENTION_MS + leaseMs),
      count: 1,
      endsAt: this.clock.now() + leaseMs,
    }
    const lock = this.find(name)
    lock.holds.set(member, hold)
    this.#locks.set(name, lock)
    return hold
  }

  /** Ends the holds of these. Returns whether there were any. */
  drop(name: string, members: Iterable<Member>): boolean {
    const lock = this.find(name)
    let dropped = false
    for (const member of members) {
      if (!lock.holds.delete(member)) continue
      this.lines.at(name)?.settled(ownerOf(member))
      dropped = true
    }
    if (lock.holds.size === 0) this.#locks.delete(name)
    return dropped
  }

  /** Something has changed: the line moves on as far as that lets it, and its head looks when it could enter. */
  passOn(name: string): void {
    const line = this.lines.at(name)
    line?.advance()
    line?.callHead()
  }

  /** How long until the member could enter if no owner releases. */
  obstacleMs(name: string, member: Member): number {
    const { holds, writer } = this.find(name)
    let endsAt = writer?.endsAt ?? -Infinity
    if (!writer || modeOf(member) === 'w')
      for (const hold of holds.values()) endsAt = Math.max(endsAt, hold.endsAt)
    return Math.max(endsAt - this.clock.now(), 0)
  }

  names(): string[] {
    return [...this.#locks.keys()]
  }

  #serve(name: string): Served<Member> {
    return {
      holds: (owner) => {
        const { holds } = this.find(name)
        return holds.has(`r:${owner}`) || holds.has(`w:${owner}`)
      },
      admits: (member) => this.find(name).admits(member),
      grant: (member, leaseMs) => {
        this.grant(name, member, leaseMs)
      },
      obstacleMs: (member) => this.obstacleMs(name, member),
    }
  }
}
