import { checkObject, checkSignal } from '../../base/checks/checks.js'
import { UnsupportedKindError } from '../../base/errors/unsupported-kind-error.js'
import { labelOf } from '../../base/identity/label.js'
import type { Kinds } from '../../client/registry.js'
import { countDownLatch, fencedLock } from '../../kinds/kinds.js'
import { Lock } from '../../kinds/lock.js'
import { withoutLingering } from '../../kinds/options/lock-options.js'
import type { FencedPort } from '../../port/kind-ports.js'
import { keptIn } from '../../port/store.js'
import { Bell } from './bell.js'
import { Candidacy } from './candidacy.js'
import { checkLeaderOptions, type LeaderOptions } from './leader-options.js'
import { type LeaderState, type ObserverParts, observe } from './observation.js'
import type { Term } from './term.js'

/** Between the two questions who holds the lock and with which token, the leader may change. */
const MOST_LOOKS = 10

/** An election: candidates stand in the line of one lock, and who holds it leads. Observers see who that is. */
export class Election implements AsyncDisposable {
  /** The election's name, which is the lock's. */
  readonly name: string
  readonly #lock: Lock
  readonly #port: FencedPort
  readonly #observer: ObserverParts
  readonly #candidacy: Candidacy | undefined

  /** @internal */
  constructor(name: string, kinds: Kinds, given: LeaderOptions) {
    const { session, atEnd } = kinds
    const { fencedLock: port, countDownLatch: latches } = session
    if (!port) throw new UnsupportedKindError('leader', keptIn(session))
    const options = checkLeaderOptions(given)
    const context = withoutLingering(kinds.of(fencedLock))
    this.name = name
    this.#lock = new Lock(name, context)
    this.#port = port
    const bell = latches && new Bell(`${name}:leader`, kinds.of(countDownLatch).locker, latches)
    this.#observer = { look: () => this.current(), locker: context.locker, bell, atEnd }
    if (!options.onElected) return
    const candidacy = new Candidacy(this.#lock, bell, options)
    const stop = (): void => candidacy.stop()
    atEnd.add(stop)
    void candidacy.ended.then(() => atEnd.delete(stop))
    this.#candidacy = candidacy
  }

  /** The term in which this candidate leads; undefined while it does not. Compares clocks itself, and sends nothing. */
  get term(): Term | undefined {
    return this.#candidacy?.term
  }

  /**
   * Who leads now, in whichever process; undefined if nobody does.
   *
   * @throws `StoreError` if the store failed; `ClosedError` if the `Holdfast` was closed.
   */
  async current(): Promise<LeaderState | undefined> {
    const { locker } = this.#lock.terms
    for (let looks = 1; ; looks += 1) {
      const state = await locker.query(() => locker.port.inspect(this.name))
      const [holder] = state.owners
      if (!holder) return undefined
      const tenure = await locker.query(() => this.#port.readTenure(this.name, holder.owner))
      if (!tenure.held && looks < MOST_LOOKS) continue
      const owner = locker.translated(state).owners[0]?.owner ?? holder.owner
      const fence = tenure.held ? tenure.lastFence : undefined
      return { owner, label: labelOf(owner), fence, remainingMs: state.remainingMs }
    }
  }

  /**
   * The leader now, then each change, `undefined` while nobody leads. A reader that is slow gets the latest. Where the store pushes,
   * nothing is sent while nothing happens but one look when the lease that was seen has ended; elsewhere the observer looks every second.
   * While the store is out of reach nothing comes. Ends when `signal` aborts.
   *
   * @throws `ClosedError` when the `Holdfast` is closed; `StoreError` if the store refuses.
   */
  watch(options: { readonly signal?: AbortSignal } = {}): AsyncIterable<LeaderState | undefined> {
    const { signal } = checkObject('options', options, ['signal'])
    checkSignal(signal)
    return observe(this.#observer, signal)
  }

  /** Ends the term in which this candidate leads, as `term.resign()` does; nothing if it does not lead. */
  async resign(): Promise<void> {
    await this.#candidacy?.term?.resign()
  }

  /**
   * Ends the candidacy for good: leaves the line, or resigns. Safe to call twice; nothing for an observer.
   *
   * @returns when the lock is given back and this candidate runs nothing any more. In `onElected`, `onRevoked` and what they have begun: at
   *   once, because the end waits for them.
   */
  async stop(): Promise<void> {
    this.#candidacy?.stop()
    if (!this.#candidacy?.runsThis) await this.#candidacy?.ended
  }

  /** `await using`: as {@link Election.stop}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
