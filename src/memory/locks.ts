import type { Clock } from '../core/clock.js'
import type { Owner } from '../owner.js'
import { MemoryAnnouncements } from './announcements.js'
import { MemoryLine } from './line.js'

/** One lock as the store has it. */
export class MemoryLock {
  readonly holds = new Map<Owner, number>()
  constructor(public expiresAt: number) {}
}

/** What a server would keep: the locks by name, each with the time its lease ends, their lines, and who listens. */
export class MemoryLocks {
  /** Who is told of releases, by the lock's name. */
  readonly releases = new MemoryAnnouncements()
  /** On which each process is told what becomes of its places, by lock and client. */
  readonly processes = new MemoryAnnouncements()
  readonly #locks = new Map<string, MemoryLock>()
  readonly #lines = new Map<string, MemoryLine<Owner>>()

  constructor(readonly clock: Clock) {}

  /** The lock, if its lease has not ended. */
  find(name: string): MemoryLock | undefined {
    const lock = this.#locks.get(name)
    if (!lock || lock.expiresAt > this.clock.now()) return lock
    this.#locks.delete(name)
    return undefined
  }

  /** Gives the lock, which is free. */
  grant(name: string, owner: Owner, leaseMs: number): MemoryLock {
    const lock = new MemoryLock(this.clock.now() + leaseMs)
    lock.holds.set(owner, 1)
    this.#locks.set(name, lock)
    return lock
  }

  /** Takes the lock away, with nobody told. */
  remove(name: string): void {
    this.#locks.delete(name)
  }

  /** How long until its lease ends; 0 where it is free. */
  remainingMs(name: string): number {
    const lock = this.find(name)
    return lock ? lock.expiresAt - this.clock.now() : 0
  }

  /** The line of that lock, if anybody stands in it. */
  line(name: string): MemoryLine<Owner> | undefined {
    const line = this.#lines.get(name)
    if (!line?.empty) return line
    this.#lines.delete(name)
    return undefined
  }

  /** The line of that lock, which somebody is about to join. */
  openLine(name: string, grant: (owner: Owner, leaseMs: number) => bigint | undefined): MemoryLine<Owner> {
    const standing = this.line(name)
    if (standing) return standing
    const line = new MemoryLine<Owner>(
      this.clock,
      {
        clientOf,
        admits: () => this.find(name) === undefined,
        grant,
        withdraw: () => this.remove(name),
      },
      (client, news) => this.processes.announce(channelOf(name, client), news) > 0,
    )
    this.#lines.set(name, line)
    return line
  }

  /** The lock has become free: the next in line gets it, or it is announced. */
  passOn(name: string): void {
    const line = this.line(name)
    if (line && line.advance() > 0) line.callHead(this.remainingMs(name))
    else this.releases.announce(name)
  }

  names(): string[] {
    return [...this.#locks.keys()].filter((name) => this.find(name))
  }
}

export function clientOf(owner: Owner): string {
  return owner.slice(0, owner.indexOf(':'))
}

/** Where that client is told of its places in that lock's line. */
export function channelOf(name: string, client: string): string {
  return `${client}:${name}`
}
