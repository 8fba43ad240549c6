import { Holdfast } from '../holdfast.js'
import type { Kind } from '../kinds.js'
import type { LockState } from '../store.js'

/** The client as an operator needs it: every kind of lock can be looked at, waited for in numbers, and freed, by one set of methods. */
export class Family extends Holdfast {
  /** One cheap question, so that a server that cannot be used is told of before anything else is tried. */
  async greet(): Promise<void> {
    const { session } = this.kinds
    await this.kinds.of('lock').locker.query(async () => await session.identity?.())
  }

  async inspect(kind: Kind, name: string): Promise<LockState> {
    return await this.kinds.of(kind).locker.inspect(name)
  }

  /** How many clients wait; one process counts once. */
  async countWaiting(kind: Kind, name: string): Promise<number> {
    const { locker } = this.kinds.of(kind)
    return await locker.query(() => locker.port.countWatchers(name))
  }

  /** Frees it whoever holds it; tells whether anybody did. Of a latch: opens it. */
  async forceUnlock(kind: Kind, name: string): Promise<boolean> {
    return await this.kinds.of(kind).locker.forceUnlock(name)
  }
}
