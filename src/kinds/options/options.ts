import {
  checkObject,
  checkSignal,
  invalidNumber,
  neededWhole,
  whole,
  wholeOrAuto,
  wholeOrInfinite,
} from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { isOwner, type Owner, type Owners } from '../../base/identity/owner.js'
import { LEAST_LEASE_MS } from '../../port/lease.js'

/** What `withLock` does if the lock was lost while its body ran. An error of the body itself takes precedence. */
export type OnLost = 'reject' | 'continue'

/** Options of one acquisition. Times are whole milliseconds. */
export interface AcquireOptions {
  /**
   * How long to wait for the lock, everything included. 0 makes one attempt, which takes as long as the store needs to answer.
   * `Infinity` sets no limit. Minimum: 0.
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
  /**
   * The owner that takes the lock, from this `Holdfast`.
   * @default the owner of the surrounding scope, else a new one
   */
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
   * How long this process may keep the lock after the release of this hold, unless another process asks for it; `'auto'`: as its habit is.
   * For `lock`, `fencedLock` and `fairLock`. See docs/lingering.md. Minimum: 0.
   * @default the `lingerMs` of the lock, else of the `Holdfast`
   */
  readonly lingerMs?: number | 'auto'
}

/** Options of `adopt`. */
export type AdoptOptions = Pick<AcquireOptions, 'leaseMs' | 'maxHoldMs' | 'owner'>

/** Options of `unlock`. */
export interface UnlockOptions {
  /**
   * The owner whose hold to release.
   * @default the owner of the surrounding scope
   */
  readonly owner?: Owner
}

export const ACQUIRE_OPTIONS = ['waitMs', 'leaseMs', 'signal', 'owner', 'onLost', 'maxHoldMs', 'lingerMs']

/** Those of a call without options. */
export const NO_OPTIONS: AcquireOptions = {}

export function checkAcquireOptions(given: AcquireOptions, owners: Owners): AcquireOptions {
  if (given === NO_OPTIONS) return given
  const options = checkObject('options', given, ACQUIRE_OPTIONS)
  checkAcquireValues(options)
  if (options.owner !== undefined) checkIssued(options.owner, owners)
  return options
}

/** All but the owner, which is of a client. */
export function checkAcquireValues(options: AcquireOptions): void {
  wholeOrInfinite('waitMs', options.waitMs, 0)
  whole('leaseMs', options.leaseMs, LEAST_LEASE_MS)
  wholeOrInfinite('maxHoldMs', options.maxHoldMs, 1)
  wholeOrAuto('lingerMs', options.lingerMs, 0)
  checkSignal(options.signal)
  if (options.onLost !== undefined && options.onLost !== 'reject' && options.onLost !== 'continue') {
    throw new InvalidArgumentError('onLost', options.onLost, "'reject' or 'continue'")
  }
}

/** @param ofLock the time of the lock; undefined where it cannot linger */
export function checkLingers(
  lingerMs: number | 'auto' | undefined,
  ofLock: number | 'auto' | undefined,
): void {
  if (lingerMs !== undefined && ofLock === undefined)
    throw invalidNumber('lingerMs', lingerMs, 'undefined, because this lock cannot linger')
}

export function checkUnlockOptions(given: UnlockOptions, owners: Owners): UnlockOptions {
  const options = checkObject('options', given, ['owner'])
  if (options.owner !== undefined) checkIssued(options.owner, owners)
  return options
}

/** Checks a lease that a method takes as its one argument. */
export function checkLease(leaseMs: unknown): number {
  return neededWhole('leaseMs', leaseMs, LEAST_LEASE_MS)
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
  if (owners.issued(checkOwner(owner))) return
  const accepted = 'an owner of this Holdfast (from hold.owner or holdfast.owner())'
  throw new InvalidArgumentError('owner', owner, accepted, { found: 'is of another client' })
}
