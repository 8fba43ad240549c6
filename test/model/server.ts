import type { Owner } from '../../src/base/identity/owner.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import { ExclusiveLock, exclusiveLocks } from '../../src/stores/rows/exclusive-lock.js'
import type { BaseClock } from './base-clock.js'

/** The one server of the modelled world, and the truth about who holds what: beliefs of clients are measured by it. */
export class Server {
  readonly rows: MemoryRows
  /** Tenures that were ended by force: their holders cannot know at once. */
  readonly forced = new Set<bigint>()
  /** Locks whose last tenure was ended by a release or by force, and not by the end of its lease. */
  readonly freed = new Set<string>()
  readonly #serials = new Map<string, bigint>()

  constructor(readonly clock: BaseClock) {
    this.rows = new MemoryRows(clock)
  }

  /** The lock as it is now. */
  lock(name: string): ExclusiveLock {
    return new ExclusiveLock(name, this.rows.at(exclusiveLocks, name))
  }

  /** The number of the tenure that the lock is in; undefined when it is free. Grows with each. */
  serial(name: string): bigint | undefined {
    const { owner, lastFence } = this.lock(name)
    if (owner === undefined || lastFence === undefined) return undefined
    const serial = this.serialOf(name, lastFence)
    if (this.#serials.get(name) !== serial) this.freed.delete(name)
    this.#serials.set(name, serial)
    return serial
  }

  /** The number of the tenure that has that token. No two locks have a tenure of one number. */
  serialOf(name: string, fence: bigint): bigint {
    return fence * 2n + (name === 'a' ? 0n : 1n)
  }

  /** Whether the lock is with the client of that owner, stored as whichever of its owners. */
  isWith(name: string, owner: Owner): boolean {
    const client = owner.slice(0, owner.lastIndexOf(':') + 1)
    return this.lock(name).owner?.startsWith(client) === true
  }

  /** Carries out what frees a lock, and notes that it did. */
  async freeing<Reply>(name: string, apply: () => Promise<Reply>, forced: boolean): Promise<Reply> {
    const serial = this.serial(name)
    const reply = apply()
    if (serial !== undefined && this.serial(name) !== serial) {
      // Where somebody waits in line it has the lock now.
      if (this.lock(name).owner === undefined) this.freed.add(name)
      if (forced) this.forced.add(serial)
    }
    return await reply
  }
}
