import type { Owner } from '../identity/owner.js'
import { clientOf, modeOf, ownerOf, type Place } from '../rows/place.js'
import type { Clock } from '../time/clock.js'
import { MemoryAnnouncements } from './announcements.js'
import { FenceCounters } from './fence-counters.js'
import type { Served } from './line.js'
import { channelOf, MemoryLines } from './lines.js'

/** How a lock is taken: alone, or alone with a token, whose counter is then kept for so many milliseconds; 0: for ever. */
export type Mode = 'x' | `f${number}`

/** One lock as the store has it. */
export class MemoryLock {
  readonly holds = new Map<Owner, number>()
  /** The client that may keep it beyond its release, and whether it has heard that others ask for it. */
  lingers: { readonly client: string; told: boolean } | undefined
  constructor(public expiresAt: number) {}
}

/**
 * What a server would keep of locks that one owner has at a time, as `lua/parts/lock.lua` has it: each with the time its lease ends, its
 * line, and the last token.
 */
export class MemoryLocks {
  /** Announces releases to clients outside the line, by the lock's name. */
  readonly releases = new MemoryAnnouncements()
  readonly lines: MemoryLines<Place<Mode>>
  readonly fences: FenceCounters
  readonly #locks = new Map<string, MemoryLock>()

  constructor(readonly clock: Clock) {
    this.fences = new FenceCounters(clock)
    this.lines = new MemoryLines(clock, (name) => this.#serve(name))
  }

  /** The lock, if its lease has not ended. */
  find(name: string): MemoryLock | undefined {
    const lock = this.#locks.get(name)
    if (!lock || lock.expiresAt > this.clock.now()) return lock
    this.#locks.delete(name)
    return undefined
  }

  /** Gives the lock, which is free. Returns the token, where there is one. */
  grant(name: string, place: Place<Mode>, leaseMs: number): bigint | undefined {
    const fence = this.mint(name, place)
    const lock = new MemoryLock(this.clock.now() + leaseMs)
    lock.holds.set(ownerOf(place), 1)
    this.#locks.set(name, lock)
    return fence
  }

  /** Its client may keep it beyond its release. */
  mayLinger(name: string, owner: Owner): void {
    const lock = this.find(name)
    if (lock) lock.lingers = { client: clientOf(owner), told: false }
  }

  /** A call is refused by that lock. Returns whether its client may have nobody inside; it is told, until it hears. */
  ask(name: string): boolean {
    const lingers = this.find(name)?.lingers
    if (!lingers) return false
    const { channels } = this.lines
    lingers.told ||= channels.announce(channelOf(name, lingers.client), { asked: true }) > 0
    return true
  }

  /** The token of a new tenure, if its mode has tokens. */
  mint(name: string, place: Place<Mode>): bigint | undefined {
    const mode = modeOf(place)
    return mode === 'x' ? undefined : this.fences.mint(name, Number(mode.slice(1)) || Infinity)
  }

  /** Sets when the lease ends. Tells the first in line if that is sooner than it knows, and returns whether it is. */
  endAt(name: string, lock: MemoryLock, expiresAt: number): boolean {
    const sooner = expiresAt < lock.expiresAt
    lock.expiresAt = expiresAt
    if (sooner) this.lines.at(name)?.callHead()
    return sooner
  }

  /** How long until its lease ends; 0 where it is free. */
  remainingMs(name: string): number {
    const lock = this.find(name)
    return lock ? lock.expiresAt - this.clock.now() : 0
  }

  /** Takes the lock from its owner: the next in line gets it. Returns whether it was held. */
  free(name: string): boolean {
    const lock = this.find(name)
    if (!lock) return false
    this.#locks.delete(name)
    const line = this.lines.at(name)
    for (const owner of lock.holds.keys()) line?.settled(owner)
    line?.advance()
    return true
  }

  names(): string[] {
    return [...this.#locks.keys()].filter((name) => this.find(name))
  }

  #serve(name: string): Served<Place<Mode>> {
    return {
      holds: (owner) => this.find(name)?.holds.has(owner) === true,
      admits: () => !this.find(name),
      grant: (place, leaseMs) => {
        this.grant(name, place, leaseMs)
      },
      obstacleMs: () => this.remainingMs(name),
    }
  }
}
