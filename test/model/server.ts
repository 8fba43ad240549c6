import type { Owner } from '../../src/identity/owner.js'
import { type MemoryLock, MemoryLocks } from '../../src/memory/locks.js'
import { MemoryReentrantLockPort } from '../../src/memory/reentrant-lock.js'
import type { BaseClock } from './base-clock.js'

/** The one server of the modelled world, and the truth about who holds what: beliefs of clients are measured by it. */
export class Server {
  readonly locks: MemoryLocks
  readonly port: MemoryReentrantLockPort
  /** Tenures that were ended by force: their holders cannot know at once. */
  readonly forced = new Set<bigint>()
  /** Locks whose last tenure was ended by a release or by force, and not by the end of its lease. */
  readonly freed = new Set<string>()
  readonly #serials = new WeakMap<MemoryLock, bigint>()
  #lastSerial = 0n

  constructor(readonly clock: BaseClock) {
    this.locks = new MemoryLocks(clock)
    this.port = new MemoryReentrantLockPort(this.locks)
  }

  /** The number of the tenure that the lock is in; undefined when it is free. Grows with each. */
  serial(name: string): bigint | undefined {
    const lock = this.locks.find(name)
    if (!lock) return undefined
    const known = this.#serials.get(lock)
    if (known !== undefined) return known
    this.#lastSerial += 1n
    this.#serials.set(lock, this.#lastSerial)
    this.freed.delete(name)
    return this.#lastSerial
  }

  /** Whether the lock is with the client of that owner, stored as whichever of its owners. */
  isWith(name: string, owner: Owner): boolean {
    const client = owner.slice(0, owner.lastIndexOf(':') + 1)
    return [...(this.locks.find(name)?.holds.keys() ?? [])].some((holder) => holder.startsWith(client))
  }

  /** Carries out what frees a lock, and notes that it did. */
  async freeing<Reply>(name: string, apply: () => Promise<Reply>, forced: boolean): Promise<Reply> {
    const serial = this.serial(name)
    const reply = apply()
    if (serial !== undefined && this.serial(name) !== serial) {
      // Where somebody waits in line it has the lock now.
      if (!this.locks.find(name)) this.freed.add(name)
      if (forced) this.forced.add(serial)
    }
    return await reply
  }
}
