import type { LockRole } from '../base/errors/deadlock-error.js'
import { type Around, type Survey, survey, waitsAround } from '../client/deadlock/survey.js'
import { viewOf } from '../client/deadlock/view.js'
import { kindsOf } from '../client/lock-client.js'
import { Holdfast } from '../holdfast.js'
import type { Kind } from '../kinds/kinds.js'
import { lock } from '../kinds/kinds.js'
import type { LockPort, LockSeen, LockState } from '../port/lock-port.js'
import type { StoreSession } from '../port/store.js'
import type { LockView } from './lock-view.js'

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

  /** The same as the store has it: asks nobody to give up what it keeps with nobody inside. */
  async seen(kind: Kind, name: string): Promise<LockSeen> {
    const { locker } = this.#kinds.of(kind)
    return await locker.query(() => locker.port.inspect(name))
  }

  /** A lock that was seen, with its holder's process asked whether anybody is inside. */
  async asked({ lingers: _, ...seen }: LockView): Promise<LockView> {
    return { ...seen, ...(await this.inspect(lock, seen.name)) }
  }

  /** The number of waiting clients, where a process counts once; undefined where the store does not know. */
  async countWaiting(kind: Kind, name: string): Promise<number | undefined> {
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

  /** Who waits while it holds something, and the deadlocks among them; undefined where the store keeps no edges. */
  async survey(): Promise<Survey | undefined> {
    const view = viewOf(this.session)
    return view && (await this.#kinds.of(lock).locker.query(() => survey(view)))
  }

  /** The deadlocks that these locks are part of, and what else hangs on them; nothing where the store keeps no edges. `turn` settles when one more lock may be read. */
  async waitsAround(locks: readonly LockRole[], turn: () => Promise<void>): Promise<Around> {
    const view = viewOf(this.session)
    if (!view || locks.length === 0) return { deadlocks: [], waits: [] }
    return await this.#kinds.of(lock).locker.query(() => waitsAround(view, locks, turn))
  }

  /** What the store keeps, whichever it is. */
  get session(): StoreSession {
    return this.#kinds.session
  }

  /** The names of the locks of that port that are held and match a glob pattern. */
  async *heldIn(port: LockPort, pattern: string): AsyncGenerator<string> {
    const { locker } = this.#kinds.of(lock)
    const states = port.list(pattern)[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = await locker.query(() => states.next())
      if (done) return
      yield value.name
    }
  }

  /** Frees the lock, whatever its owner; returns whether it was held. Opens a latch. */
  async forceUnlock(kind: Kind, name: string): Promise<boolean> {
    return await this.#kinds.of(kind).locker.forceUnlock(name)
  }
}
