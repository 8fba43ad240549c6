import { checkName, hintAtOptionsBy } from './base/checks/checks.js'
import { optionHint, refuseFormerMethods } from './base/checks/former-names.js'
import { refuseMoreArguments } from './base/checks/more-arguments.js'
import { UnsupportedKindError } from './base/errors/unsupported-kind-error.js'
import { configuredStore } from './client/configured-store.js'
import { Lookout } from './client/deadlock/lookout.js'
import { viewOf } from './client/deadlock/view.js'
import { defaultStore } from './client/default-store.js'
import { checkHoldfastOptions, type HoldfastOptions } from './client/holdfast-options.js'
import { kindsOf, LockClient } from './client/lock-client.js'
import type { Kinds } from './client/registry.js'
import type { Section } from './kinds/acquiring/section.js'
import { CountDownLatch } from './kinds/count-down-latch.js'
import { GuardedValue } from './kinds/fencing/guarded-value.js'
import { checkSequencer, type Sequencer } from './kinds/fencing/sequencer.js'
import type { Kind } from './kinds/kinds.js'
import * as kinds from './kinds/kinds.js'
import { Lock } from './kinds/lock.js'
import { MULTI_LOCK_EXAMPLE, MultiLock } from './kinds/multi-lock.js'
import { type LockOptions, withLockOptions, withoutLingering } from './kinds/options/lock-options.js'
import { checkSpinOptions, type SpinOptions } from './kinds/options/spin-options.js'
import { PermitExpirableSemaphore } from './kinds/permit-expirable-semaphore.js'
import { ReadWriteLock } from './kinds/read-write-lock.js'
import { Semaphore } from './kinds/semaphore.js'
import { StripedLock } from './kinds/striped-lock.js'
import { keptIn, type Store, type StoreSession } from './port/store.js'
import { type Compute, ComputeOnce } from './recipes/compute-once/compute-once.js'
import type { ComputeOnceOptions } from './recipes/compute-once/compute-once-options.js'
import { type JobOutcome, runJob } from './recipes/job/job.js'
import type { JobOptions } from './recipes/job/job-options.js'
import { Election } from './recipes/leader/election.js'
import type { LeaderOptions } from './recipes/leader/leader-options.js'
import type { RedisClient } from './stores/redis/connection/client.js'
import { redisStoreOf } from './stores/redis/store.js'

/** What is not reached through a kind of lock alone, as people call it. */
const kindsBeside = {
  semaphore: 'semaphore',
  permitExpirableSemaphore: 'permit-expirable semaphore',
  countDownLatch: 'count-down latch',
  guardedValues: 'guarded value',
  values: 'computeOnce value',
} as const

/** The client, for every kind of lock. */
export class Holdfast extends LockClient {
  // What helps after a mistake. A bundle of the plain lock alone goes without.
  static {
    hintAtOptionsBy(optionHint)
    const release = 'hold.release(), of the hold that acquire() returned'
    const extend = 'hold.extend(leaseMs)'
    const section = 'lock.withLock(async ({ signal }) => …)'
    refuseFormerMethods(Lock.prototype, {
      release,
      extend,
      using: section,
      runExclusive: section,
      run: section,
    })
    const sectionOf =
      'holdfast.lock(name).withLock(async ({ signal }) => …), and for several names holdfast.multiLock(locks)'
    refuseFormerMethods(this.prototype, {
      using: sectionOf,
      withLock: sectionOf,
      acquire: 'holdfast.lock(name).acquire(), and for several names holdfast.multiLock(locks)',
      getLock: 'holdfast.lock(name)',
      createLock: 'holdfast.lock(name)',
      extend,
      unlock: release,
      release,
      quit: 'holdfast.close()',
      disconnect: 'holdfast.close()',
    })
    refuseMoreArguments(LockClient.prototype, { lock: 2, run: 1, owner: 0, list: 1, close: 1 })
    refuseMoreArguments(
      this.prototype,
      {
        fencedLock: 2,
        fairLock: 2,
        readWriteLock: 1,
        semaphore: 2,
        permitExpirableSemaphore: 2,
        countDownLatch: 1,
        guardedValue: 1,
        checkSequencer: 1,
        spinLock: 2,
        multiLock: 1,
        stripedLock: 2,
        computeOnce: 3,
        job: 3,
        leader: 2,
      },
      { multiLock: MULTI_LOCK_EXAMPLE },
    )
  }

  readonly #kinds: Kinds
  #computeOnce: ComputeOnce | undefined

  /**
   * Locks are where the command line has them: on the server that `HOLDFAST_URL` names, or else in a file of this user. With options, write
   * `storeAt()` of `holdfast/url` for that. Connects only on first use.
   *
   * @throws `StoreError` if what the store needs is not installed.
   */
  constructor()
  /**
   * @param clientOrStore an ioredis (or iovalkey) `Redis` or `Cluster`, or a store. Holdfast never sends commands over a client and
   *   never closes it; it opens its own connections with `duplicate()`. Connects only on first use.
   * @throws `InvalidArgumentError` if an option is invalid.
   */
  constructor(clientOrStore: RedisClient | Store, options?: HoldfastOptions)
  constructor(...given: [clientOrStore?: RedisClient | Store, options?: HoldfastOptions]) {
    const [clientOrStore, options = {}] = given
    const settings = checkHoldfastOptions(options)
    const store = given.length === 0 ? defaultStore() : redisStoreOf(clientOrStore)
    super(configuredStore(store, settings), settings.client)
    this.#kinds = kindsOf(this)
    const view = viewOf(this.#kinds.session)
    if (view) this.#kinds.observer = new Lookout(view, this.#kinds, settings.onDeadlock)
  }

  /**
   * The reentrant lock of that name, with a fencing token for each tenure: `hold.fence`. The same lock as `lock(name)` and as
   * Redisson's `RFencedLock`, whose counter it shares. See docs/fencing.md. Sends nothing.
   */
  fencedLock(name: string, options: LockOptions = {}): Lock {
    return new Lock(checkName(name), withLockOptions(this.#kinds.of(kinds.fencedLock), options))
  }

  /**
   * The reentrant lock of that name, first come, first served across processes: a release grants it to the call that has waited
   * longest. Excludes `lock(name)`. See docs/fair-lock.md. Sends nothing.
   */
  fairLock(name: string, options: LockOptions = {}): Lock {
    return new Lock(checkName(name), withLockOptions(this.#kinds.of(kinds.fairLock), options))
  }

  /**
   * A lock of that name that many owners may hold to read, or one to write; first come, first served. It is a separate lock: it does
   * not exclude `lock(name)`, nor Redisson's `RReadWriteLock`. See docs/read-write-lock.md. Sends nothing.
   */
  readWriteLock(name: string): ReadWriteLock {
    checkName(name)
    const of = (kind: Kind): Lock => new Lock(name, this.#kinds.of(kind))
    return new ReadWriteLock(name, of(kinds.readLock), of(kinds.writeLock))
  }

  /**
   * Permits that any number of calls share: each takes one or more, or waits. The same as Redisson's `RSemaphore` of that name, except
   * that a crash returns permits. See docs/semaphore.md. Sends nothing.
   *
   * @param permits how many there are: set by the first call that finds no number. Without it set one by `trySetPermits()`.
   */
  semaphore(name: string, permits?: number): Semaphore {
    const terms = this.#kinds.of(kinds.semaphore)
    return new Semaphore(checkName(name), terms, this.#present('semaphore'), permits)
  }

  /**
   * Permits with an id and a lease each, so that another process can prolong or return them: Redisson's
   * `RPermitExpirableSemaphore` of that name. See docs/permit-expirable-semaphore.md. Sends nothing.
   *
   * @param permits as for {@link Holdfast.semaphore}
   */
  permitExpirableSemaphore(name: string, permits?: number): PermitExpirableSemaphore {
    const terms = this.#kinds.of(kinds.permitExpirableSemaphore)
    const port = this.#present('permitExpirableSemaphore')
    return new PermitExpirableSemaphore(checkName(name), terms, port, permits)
  }

  /**
   * A count that calls wait for to reach zero: Redisson's `RCountDownLatch` of that name. See docs/count-down-latch.md. Sends
   * nothing.
   */
  countDownLatch(name: string): CountDownLatch {
    return new CountDownLatch(
      checkName(name),
      this.#kinds.of(kinds.countDownLatch),
      this.#present('countDownLatch'),
    )
  }

  /**
   * A value in the store that is written together with a fencing token, and refuses a write with a smaller token than it has seen.
   * See docs/fencing.md. Sends nothing.
   */
  guardedValue(key: string): GuardedValue {
    const { locker } = this.#kinds.of(kinds.lock)
    return new GuardedValue(checkName(key), this.#present('guardedValues'), (ask) => locker.query(ask))
  }

  /**
   * Checks a sequencer that a holder has passed on ({@link Hold.sequencer}).
   *
   * @returns its content, if that same tenure still held the lock when the store answered.
   * @throws `SequencerError` if the text is not a sequencer or was changed; `StaleSequencerError` if the tenure is over.
   */
  async checkSequencer(text: string): Promise<Sequencer> {
    const { fencedLock, readWriteLock } = this.#kinds.session
    const ports = new Map([
      [kinds.fencedLock.name, fencedLock],
      [kinds.readLock.name, readWriteLock?.read],
      [kinds.writeLock.name, readWriteLock?.write],
    ])
    return await this.#kinds
      .of(kinds.lock)
      .locker.query(() => checkSequencer(text, (kind) => ports.get(kind)))
  }

  /**
   * The reentrant lock of that name for servers and proxies without pub/sub: a waiter polls, with growing pauses. Excludes
   * `lock(name)`, whose waiters do not hear its releases and wake when the lease that they saw has ended. Sends nothing.
   *
   * @throws `InvalidArgumentError` if an option is invalid.
   */
  spinLock(name: string, options: SpinOptions = {}): Lock {
    return new Lock(checkName(name), { ...this.#kinds.of(kinds.spinLock), polls: checkSpinOptions(options) })
  }

  /**
   * Several locks as one: a call holds all of them, or none. All callers take them in the same order, so two calls that list the same
   * locks in different orders do not wait for each other. See docs/multi-lock.md. Sends nothing.
   *
   * @param locks locks of any kinds, with different names; they may be of other `Holdfast`s, on other stores.
   */
  multiLock(locks: readonly Lock[]): MultiLock {
    return new MultiLock(locks, withoutLingering(this.#kinds.of(kinds.lock)))
  }

  /**
   * One resource split over several locks, named `<name>:0` to `<name>:<stripes - 1>`: lock a part of it by key, or any free part.
   * See docs/striped-lock.md. Sends nothing.
   *
   * @param stripes their number: from 1 to 65536, the same in all programs that share the resource.
   */
  stripedLock(name: string, stripes: number): StripedLock {
    return new StripedLock(checkName(name), stripes, withoutLingering(this.#kinds.of(kinds.lock)))
  }

  /**
   * Returns the value stored under `key`. If there is none, one caller in one process computes it with `compute`, and all others
   * get that value. See docs/compute-once.md.
   *
   * @throws what `compute` throws, to all callers of this process that waited for it; who comes later computes anew.
   * @throws `UnstorableValueError` if JSON cannot carry the value; `LockTimeoutError` if there was none within `waitMs`.
   */
  async computeOnce<Value>(
    key: string,
    compute: Compute<Value>,
    options: ComputeOnceOptions,
  ): Promise<Awaited<Value>> {
    this.#computeOnce ??= new ComputeOnce(this.#kinds.of(kinds.lock), this.#present('values'))
    return await this.#computeOnce.get(key, compute, options)
  }

  /**
   * Runs a job that many processes fire at the same time by their own clocks: one of them runs it, the others do not. For cron jobs and
   * timers. The job's lock is `lock(name)`, taken with one attempt. Its lease is `atMostMs`, so that a process that dies does not stop the
   * next firings, and it stays taken for `atLeastMs` from the start, so that a clock that is behind does not run the job again. Both are
   * times of the store's clock. If `run` rejects, the lock stays taken for `atLeastMs` all the same. See docs/job.md.
   *
   * @param run called with the hold, at most once; code in it may take `lock(name)` again, but fires no job of that name
   * @returns whether it ran here, with the result of `run`.
   * @throws what `run` throws; `LockLostError` if `run` took longer than `atMostMs`, with its result attached.
   * @throws `StoreError` if the store failed: before `run`, which then was not called, or after it, with its result attached; then the
   *   lock is free `atMostMs` after the start.
   * @throws `InvalidArgumentError` if an option is invalid; `ClosedError` after `close`.
   */
  async job<Value>(
    name: string,
    options: JobOptions,
    run: Section<Value>,
  ): Promise<JobOutcome<Awaited<Value>>> {
    return await runJob(checkName(name), withoutLingering(this.#kinds.of(kinds.lock)), options, run)
  }

  /**
   * An election of one leader among processes, on the line of `fencedLock(name)`. With `onElected` this process is a candidate from now
   * on, until `stop()`, `signal` or `close()`; a term that is lost is followed by another candidacy. Without it this process only
   * observes: `current()`, `watch()`. See docs/leader.md.
   *
   * @throws `UnsupportedKindError` if the store has no locks with tokens; `InvalidArgumentError` if an option is invalid.
   *   If a candidate's own call fails, the event `error` says so, and the candidate goes on.
   */
  leader(name: string, options: LeaderOptions = {}): Election {
    return new Election(checkName(name), this.#kinds, options)
  }

  /** What keeps something, which not every store does. */
  #present<Name extends keyof typeof kindsBeside>(name: Name): NonNullable<StoreSession[Name]> {
    const port = this.#kinds.session[name]
    if (!port) throw new UnsupportedKindError(kindsBeside[name], keptIn(this.#kinds.session))
    return port
  }
}
