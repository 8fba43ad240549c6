import { checkObject, isAbortSignal, whole, wholeOrInfinite } from './checks.js'
import { LEAST_LEASE_MS } from './core/lease.js'
import { InvalidArgumentError } from './errors.js'
import { isOwner, type Owner, type Owners } from './owner.js'

/** A third of it is the shortest time between renewals that a busy event loop can keep. */
const LEAST_WATCHDOG_MS = 50
/** A counter must outlive every set-back of the server's clock. */
const LEAST_RETENTION_MS = 60_000

/** Settings of a `Holdfast`. Times are whole milliseconds. */
export interface HoldfastOptions {
  /**
   * The lease of acquisitions without `leaseMs`; it is renewed every third of this while they hold. After a crash the lock is
   * free no later than this. Minimum: 50.
   * @default 30000
   */
  readonly watchdogMs?: number
  /**
   * How long the store has to answer a command before the command counts as failed. Minimum: 1.
   * @default 3000
   */
  readonly commandTimeoutMs?: number
  /**
   * How long a call puts up with a store that does not answer before it rejects with a `StoreError`, if its `waitMs` lets it
   * wait that long. Minimum: 0.
   * @default 10000
   */
  readonly storeTimeoutMs?: number
  /**
   * How long the watchdog renews a hold at most, for tasks that may hang; then its lease ends. Minimum: 1.
   * @default Infinity
   */
  readonly maxHoldMs?: number
  /**
   * How long a lock stays unavailable after it was lost without a release (its lease ran out, its process died), on top of its
   * lease: time for work that does not know yet to end. A release frees it at once. Chubby's lock-delay. Minimum: 0.
   * @default 0
   */
  readonly quarantineMs?: number
  /**
   * How many replicas must have a lock before it counts as held, by `WAIT`: fewer locks are lost in a failover, at the price of
   * another round trip and the replicas' answer for each acquisition. When fewer answer in time the lock is given back, and the
   * call rejects with a `StoreError` (`replicas`). For Redis and Valkey. 0: it is not asked. Minimum: 0.
   * @default 0
   */
  readonly checkReplicas?: number
  /**
   * How long replicas have to answer. Minimum: 1; less than `commandTimeoutMs`.
   * @default 1000, or half of `commandTimeoutMs` where that is less
   */
  readonly replicasTimeoutMs?: number
  /**
   * How long the counter of a `fencedLock` is kept after its last token. Tokens are then taken from the server's clock, so that a
   * counter that has gone starts above all tokens before. Not beside Redisson's `RFencedLock`, which would start at 1. Minimum:
   * 60000.
   * @default undefined: for ever, as Redisson does
   */
  readonly fenceRetentionMs?: number
  /**
   * Whether renewals run in a thread with a connection of its own: then a blocked event loop costs no lock. For Redis and Valkey,
   * with client options that are data, since code cannot be copied to a thread.
   * @default false
   */
  readonly watchdogThread?: boolean
  /**
   * With `watchdogThread`: after how long a blocked event loop is given up; its leases then end. Minimum: a third of `watchdogMs`.
   * @default ten times `watchdogMs`
   */
  readonly maxBlockedMs?: number
  /**
   * How many calls may wait for one lock in this process; a further one rejects with `TooManyWaitersError`. Minimum: 1.
   * @default Infinity
   */
  readonly maxWaiters?: number
  /**
   * After how long a call that waits for a lock of its own process is reported by a `warning` event. Minimum: 1.
   * @default 10000
   */
  readonly warnAfterMs?: number
  /**
   * How often a lock may be handed from one call of this process to the next, without the store, before it is released and
   * other processes get their turn. 0: never. Minimum: 0.
   * @default 256
   */
  readonly maxHandOvers?: number
  /**
   * How long this process may keep a lock by handing it from call to call; the hold that runs then is its last. Other processes
   * wait that long and one hold more. However long it is, the store is asked after 250 ms of handing on whether it still has the
   * lock. Minimum: 0.
   * @default 25
   */
  readonly handOverSliceMs?: number
  /**
   * Whether stacks are recorded for `warning` events. Costs some microseconds a call.
   * @default false
   */
  readonly diagnostics?: boolean
}

/** What `withLock` does when the lock was lost while its body ran; the body's own error always wins. */
export type OnLost = 'reject' | 'continue'

/** Options of one acquisition. Times are whole milliseconds. */
export interface AcquireOptions {
  /**
   * How long to wait for the lock, everything included. 0 makes one attempt, which takes as long as the store needs to answer.
   * `Infinity` waits as long as it takes.
   * @default Infinity for `acquire`, `withLock` and `lock`; 0 for `tryAcquire` and `tryLock`
   */
  readonly waitMs?: number
  /**
   * The lease: the lock is lost that long after it was taken, unless released before. Without it, the watchdog keeps the lock
   * for as long as the hold lasts. Minimum: 10.
   */
  readonly leaseMs?: number
  /** Cancels the wait: the call rejects with the signal's reason. Once the lock is held it has no effect. */
  readonly signal?: AbortSignal
  /** For whom the lock is taken; an owner of this `Holdfast`. Default: the owner of the surrounding scope, else a new one. */
  readonly owner?: Owner
  /**
   * For `withLock`, when the lock was lost while the body ran. `'reject'`: once the body has settled, reject with
   * `LockLostError`, the body's result attached. `'continue'`: return the body's result; the loss is only signalled.
   * @default 'reject'
   */
  readonly onLost?: OnLost
  /**
   * How long the watchdog renews this hold at most. Minimum: 1.
   * @default the `maxHoldMs` of the `Holdfast`
   */
  readonly maxHoldMs?: number
}

/** Options of `unlock`. */
export interface UnlockOptions {
  /** Whose hold to give back. Default: the owner of the surrounding scope. */
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

const ACQUIRE_OPTIONS = ['waitMs', 'leaseMs', 'signal', 'owner', 'onLost', 'maxHoldMs']

export function checkAcquireOptions(options: AcquireOptions, owners: Owners): AcquireOptions {
  checkObject('options', options, ACQUIRE_OPTIONS)
  wholeOrInfinite('waitMs', options.waitMs, 0)
  whole('leaseMs', options.leaseMs, LEAST_LEASE_MS)
  wholeOrInfinite('maxHoldMs', options.maxHoldMs, 1)
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

/** An owner of whichever client, for questions. */
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
