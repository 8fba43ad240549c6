import { LEAST_LEASE_MS } from '../core/lease/lease.js'
import { InvalidArgumentError } from '../errors/errors.js'
import { isOwner, type Owner, type Owners } from '../identity/owner.js'
import { checkObject, isAbortSignal, whole, wholeOrInfinite } from './checks.js'

/** A busy event loop cannot renew more often than every third of this. */
const LEAST_WATCHDOG_MS = 50
/** A counter must outlive every set-back of the server's clock. */
const LEAST_RETENTION_MS = 60_000

/** Settings of a `Holdfast`. Times are whole milliseconds. */
export interface HoldfastOptions {
  /**
   * The lease of acquisitions without `leaseMs`. The watchdog renews it every third of this while they hold. After a crash the lock
   * is free at most this much later. Minimum: 50.
   * @default 30000
   */
  readonly watchdogMs?: number
  /**
   * How long the store has to answer a command; after that the command counts as failed. Minimum: 1.
   * @default 3000
   */
  readonly commandTimeoutMs?: number
  /**
   * How long a call waits for a store that does not answer, if its `waitMs` is not shorter; then it rejects with a `StoreError`.
   * Minimum: 0.
   * @default 10000
   */
  readonly storeTimeoutMs?: number
  /**
   * The longest time for which the watchdog renews a hold, for tasks that may hang; then its lease ends. Minimum: 1.
   * @default Infinity
   */
  readonly maxHoldMs?: number
  /**
   * How much longer than its lease a lock stays unavailable if it was lost without a release (its lease ran out, its process died),
   * so that work which has not noticed the loss can end. A release frees it at once. Chubby's lock-delay. Minimum: 0.
   * @default 0
   */
  readonly quarantineMs?: number
  /**
   * How many replicas must have a lock before it counts as held, by `WAIT`. A failover then loses fewer locks; each acquisition
   * costs another round trip and the replicas' answer. If fewer replicas answer in time, Holdfast gives the lock back and the call
   * rejects with a `StoreError` (`replicas`). For Redis and Valkey. 0: does not ask. Minimum: 0.
   * @default 0
   */
  readonly checkReplicas?: number
  /**
   * How long replicas have to answer. Minimum: 1; less than `commandTimeoutMs`.
   * @default 1000, or half of `commandTimeoutMs` if that is less
   */
  readonly replicasTimeoutMs?: number
  /**
   * How long the counter of a `fencedLock` is kept after its last token. Tokens then come from the server's clock, so that a new
   * counter starts above all earlier tokens. Do not use it together with Redisson's `RFencedLock`, which would start at 1.
   * Minimum: 60000.
   * @default undefined: for ever, as in Redisson
   */
  readonly fenceRetentionMs?: number
  /**
   * Whether a thread with its own connection renews leases: then a blocked event loop loses no lock. For Redis and Valkey, with
   * client options that are data, since code cannot be copied to a thread.
   * @default false
   */
  readonly watchdogThread?: boolean
  /**
   * With `watchdogThread`: how long the thread renews leases for a blocked event loop; then they end. Minimum: a third of
   * `watchdogMs`.
   * @default ten times `watchdogMs`
   */
  readonly maxBlockedMs?: number
  /**
   * How many calls may wait for one lock in this process; any more reject with `TooManyWaitersError`. Minimum: 1.
   * @default Infinity
   */
  readonly maxWaiters?: number
  /**
   * How long a call may wait for a lock that its own process holds before the client emits `warning`. Minimum: 1.
   * @default 10000
   */
  readonly warnAfterMs?: number
  /**
   * How often this process may hand a lock over from one call to the next, without the store, before it releases the lock and other
   * processes get their turn. 0: never. Minimum: 0.
   * @default 256
   */
  readonly maxHandOvers?: number
  /**
   * How long this process may keep a lock by handing it over from call to call; the hold that runs then is its last. Other processes
   * wait that long plus one hold. In any case, after 250 ms of hand-overs Holdfast asks the store whether it still has the lock.
   * Minimum: 0.
   * @default 25
   */
  readonly handOverSliceMs?: number
  /**
   * How long this process may keep a lock after its release, so that its next acquisition of that lock costs no command. It lets go as soon
   * as another process asks for the lock; one that cannot tell it (a client of Redisson, say) waits this long at the most. For `lock`,
   * `fencedLock` and `fairLock`; other kinds ignore it. Never longer than the lease. See docs/lingering.md. Minimum: 0.
   * @default 0: a release frees the lock at once
   */
  readonly lingerMs?: number
  /**
   * Whether to record stacks for `warning` events. Costs some microseconds per call.
   * @default false
   */
  readonly diagnostics?: boolean
}

/** What `withLock` does if the lock was lost while its body ran. An error of the body itself takes precedence. */
export type OnLost = 'reject' | 'continue'

/** Options of one acquisition. Times are whole milliseconds. */
export interface AcquireOptions {
  /**
   * How long to wait for the lock, everything included. 0 makes one attempt, which takes as long as the store needs to answer.
   * `Infinity` sets no limit.
   * @default Infinity for `acquire`, `withLock` and `lock`; 0 for `tryAcquire` and `tryLock`
   */
  readonly waitMs?: number
  /**
   * The lease: the owner loses the lock this long after the grant, unless it is released before. Without it, the watchdog renews the
   * lease as long as the hold lasts. Minimum: 10.
   */
  readonly leaseMs?: number
  /** Cancels the wait: the call rejects with the signal's reason. It has no effect once the lock is held. */
  readonly signal?: AbortSignal
  /** The owner that takes the lock, from this `Holdfast`. Default: the owner of the surrounding scope, else a new one. */
  readonly owner?: Owner
  /**
   * For `withLock`, if the lock was lost while the body ran. `'reject'`: once the body has settled, rejects with `LockLostError`,
   * with the body's result attached. `'continue'`: returns the body's result; only signal and events report the loss.
   * @default 'reject'
   */
  readonly onLost?: OnLost
  /**
   * The longest time for which the watchdog renews this hold. Minimum: 1.
   * @default the `maxHoldMs` of the `Holdfast`
   */
  readonly maxHoldMs?: number
  /**
   * How long this process may keep the lock after the release of this hold, unless another process asks for it: see docs/lingering.md. For
   * `lock`, `fencedLock` and `fairLock`. Minimum: 0.
   * @default the `lingerMs` of the lock, else of the `Holdfast`
   */
  readonly lingerMs?: number
}

/** Options of `unlock`. */
export interface UnlockOptions {
  /** The owner whose hold to release. Default: the owner of the surrounding scope. */
  readonly owner?: Owner
}

/** {@link HoldfastOptions}, checked and complete. */
export type Settings = Required<Omit<HoldfastOptions, 'fenceRetentionMs'>> &
  Record<'fenceRetentionMs', number | undefined>

export function checkHoldfastOptions(options: HoldfastOptions): Settings {
  checkObject('options', options, [
    'watchdogMs',
    'quarantineMs',
    'fenceRetentionMs',
    'checkReplicas',
    'replicasTimeoutMs',
    'commandTimeoutMs',
    'storeTimeoutMs',
    'maxHoldMs',
    'watchdogThread',
    'maxBlockedMs',
    'maxWaiters',
    'warnAfterMs',
    'maxHandOvers',
    'handOverSliceMs',
    'lingerMs',
    'diagnostics',
  ])
  const { diagnostics = false } = options
  if (typeof diagnostics !== 'boolean')
    throw new InvalidArgumentError('diagnostics', diagnostics, 'true or false')
  const watchdogMs = whole('watchdogMs', options.watchdogMs, LEAST_WATCHDOG_MS) ?? 30_000
  const commandTimeoutMs = whole('commandTimeoutMs', options.commandTimeoutMs, 1) ?? 3_000
  return {
    watchdogMs,
    quarantineMs: whole('quarantineMs', options.quarantineMs, 0) ?? 0,
    fenceRetentionMs: whole('fenceRetentionMs', options.fenceRetentionMs, LEAST_RETENTION_MS),
    ...checkThreadOptions(options, watchdogMs),
    ...checkReplicaOptions(options, commandTimeoutMs),
    commandTimeoutMs,
    storeTimeoutMs: whole('storeTimeoutMs', options.storeTimeoutMs, 0) ?? 10_000,
    maxHoldMs: wholeOrInfinite('maxHoldMs', options.maxHoldMs, 1) ?? Number.POSITIVE_INFINITY,
    maxWaiters: wholeOrInfinite('maxWaiters', options.maxWaiters, 1, 'waiters') ?? Number.POSITIVE_INFINITY,
    warnAfterMs: wholeOrInfinite('warnAfterMs', options.warnAfterMs, 1) ?? 10_000,
    maxHandOvers: wholeOrInfinite('maxHandOvers', options.maxHandOvers, 0, 'hand-overs') ?? 256,
    handOverSliceMs: wholeOrInfinite('handOverSliceMs', options.handOverSliceMs, 0) ?? 25,
    lingerMs: whole('lingerMs', options.lingerMs, 0) ?? 0,
    diagnostics,
  }
}

function checkThreadOptions(options: HoldfastOptions, watchdogMs: number) {
  const { watchdogThread = false, maxBlockedMs } = options
  if (typeof watchdogThread !== 'boolean')
    throw new InvalidArgumentError('watchdogThread', watchdogThread, 'true or false')
  if (maxBlockedMs !== undefined && !watchdogThread)
    throw new InvalidArgumentError('maxBlockedMs', maxBlockedMs, 'undefined, unless watchdogThread is true')
  const least = Math.ceil(watchdogMs / 3)
  return { watchdogThread, maxBlockedMs: whole('maxBlockedMs', maxBlockedMs, least) ?? 10 * watchdogMs }
}

function checkReplicaOptions(options: HoldfastOptions, commandTimeoutMs: number) {
  const checkReplicas = whole('checkReplicas', options.checkReplicas, 0) ?? 0
  const { replicasTimeoutMs } = options
  if (replicasTimeoutMs !== undefined && checkReplicas === 0)
    throw new InvalidArgumentError(
      'replicasTimeoutMs',
      replicasTimeoutMs,
      'undefined, unless checkReplicas is set',
    )
  const timeoutMs =
    whole('replicasTimeoutMs', replicasTimeoutMs, 1) ?? Math.min(1_000, Math.ceil(commandTimeoutMs / 2))
  if (checkReplicas > 0 && timeoutMs >= commandTimeoutMs)
    throw new InvalidArgumentError('replicasTimeoutMs', timeoutMs, 'less than commandTimeoutMs')
  return { checkReplicas, replicasTimeoutMs: timeoutMs }
}

const ACQUIRE_OPTIONS = ['waitMs', 'leaseMs', 'signal', 'owner', 'onLost', 'maxHoldMs', 'lingerMs']

export function checkAcquireOptions(options: AcquireOptions, owners: Owners): AcquireOptions {
  checkObject('options', options, ACQUIRE_OPTIONS)
  wholeOrInfinite('waitMs', options.waitMs, 0)
  whole('leaseMs', options.leaseMs, LEAST_LEASE_MS)
  wholeOrInfinite('maxHoldMs', options.maxHoldMs, 1)
  whole('lingerMs', options.lingerMs, 0)
  if (options.signal !== undefined && !isAbortSignal(options.signal)) {
    throw new InvalidArgumentError('signal', options.signal, 'an AbortSignal')
  }
  if (options.onLost !== undefined && options.onLost !== 'reject' && options.onLost !== 'continue') {
    throw new InvalidArgumentError('onLost', options.onLost, "'reject' or 'continue'")
  }
  if (options.owner !== undefined) checkIssued(options.owner, owners)
  return options
}

export function checkUnlockOptions(options: UnlockOptions, owners: Owners): UnlockOptions {
  checkObject('options', options, ['owner'])
  if (options.owner !== undefined) checkIssued(options.owner, owners)
  return options
}

/** An owner of any client, for questions. */
export function checkOwner(owner: unknown): Owner {
  if (typeof owner === 'string' && isOwner(owner)) return owner
  throw new InvalidArgumentError(
    'owner',
    owner,
    'an owner like "<clientId>:<number>", from hold.owner or holdfast.owner()',
  )
}

function checkIssued(owner: unknown, owners: Owners): void {
  if (!owners.issued(checkOwner(owner))) {
    throw new InvalidArgumentError(
      'owner',
      owner,
      'an owner of this Holdfast (from hold.owner or holdfast.owner())',
    )
  }
}
