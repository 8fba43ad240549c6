import { Holdfast } from '../holdfast.js'
import type { Kind } from '../kinds/kinds.js'
import { lock } from '../kinds/kinds.js'
import { kindsOf } from '../lock/lock-client.js'
import type { LockState } from '../ports/lock-port.js'
import type { StoreSession } from '../ports/store.js'

/** The client for operators: one set of methods to inspect every kind of lock, count its waiters and free it. */
export class Family extends Holdfast {
  readonly #kinds = kindsOf(this)

  /** One cheap command, so that an unusable server is reported before anything else is tried. */
  async greet(): Promise<void> {
    const { session } = this.#kinds
    await this.#kinds.of(lock).locker.query(async () => await session.identity?.())
  }

  async inspect(kind: Kind, name: string): Promise<LockState> {
    return await this.#kinds.of(kind).locker.inspect(name)
  }

  /** The number of waiting clients; a process counts once. */
  async countWaiting(kind: Kind, name: string): Promise<number> {
    const { locker } = this.#kinds.of(kind)
    return await locker.query(() => locker.port.countWatchers(name))
  }

  /** The last token of that lock; undefined where it never had one, or the store has none. */
  async lastFence(name: string): Promise<bigint | undefined> {
    const { fencedLock } = this.#kinds.session
    if (!fencedLock) return undefined
    return (await this.#kinds.of(lock).locker.query(() => fencedLock.readTenure(name, this.owner())))
      .lastFence
  }

  /** What the store keeps, whichever it is. */
  get session(): StoreSession {
    return this.#kinds.session
  }

  /** Frees the lock, whatever its owner; returns whether it was held. Opens a latch. */
  async forceUnlock(kind: Kind, name: string): Promise<boolean> {
    return await this.#kinds.of(kind).locker.forceUnlock(name)
  }
}
