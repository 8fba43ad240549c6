import { HoldfastError, shorten } from './holdfast-error.js'
import type { Owner } from './owner.js'

export { HoldfastError, type HoldfastErrorDetails } from './holdfast-error.js'

/** What a store failure was about; see {@link StoreError.reason}. */
export type StoreFailure =
  | 'unreachable'
  | 'timeout'
  | 'not-ready'
  | 'wrong-type'
  | 'permission'
  | 'out-of-memory'
  | 'read-only'
  | 'replicas'
  | 'script'
  | 'unknown'

/** The lock was not obtained within `waitMs`. Nothing is held and nothing is left behind. */
export class LockTimeoutError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'LockTimeoutError'

  /** How long the call waited, in milliseconds. */
  readonly waitedMs: number
  /** Who held the lock when it was last seen, where known. */
  readonly holder: Owner | undefined

  constructor(
    lockName: string,
    waitedMs: number,
    seen: { holder?: Owner | undefined; remainingMs?: number | undefined },
    cause?: unknown,
  ) {
    const holder = seen.holder === undefined ? '' : `; last seen held by ${seen.holder}`
    const lease =
      seen.remainingMs === undefined || !Number.isFinite(seen.remainingMs)
        ? ''
        : ` with ${Math.round(seen.remainingMs)} ms of its lease left`
    const trouble = cause === undefined ? '' : ' The store did not answer in time; see cause.'
    super(
      'LOCK_TIMEOUT',
      `Lock "${shorten(lockName)}" was not obtained within ${Math.round(waitedMs)} ms${holder}${lease}.${trouble} ` +
        'Wait longer (waitMs), or use tryAcquire() where doing without is an answer.',
      { lockName, cause },
    )
    this.waitedMs = waitedMs
    this.holder = seen.holder
  }
}

/** Someone tried to release what they do not hold. Nothing was changed in the store. Final: a retry cannot succeed. */
export class NotOwnerError extends HoldfastError {
  /** @internal */
  static override readonly kind: string = 'NotOwnerError'

  /** Who asked. */
  readonly owner: Owner
  /** Who holds the lock instead; `undefined` when it is free or could not be learned. */
  readonly holder: Owner | undefined

  constructor(
    lockName: string,
    owner: Owner,
    holder?: Owner | undefined,
    override?: { code: string; message: string; cause?: unknown },
  ) {
    super(
      override?.code ?? 'NOT_OWNER',
      override?.message ??
        (owner === holder
          ? `Owner ${owner} holds lock "${shorten(lockName)}", but not here: a hold is released by the scope that took it or ` +
            'one within it, and a section of withLock() by its own end.'
          : `Owner ${owner} does not hold lock "${shorten(lockName)}", so it cannot release it` +
            `${holder === undefined ? '' : `; ${holder} does`}. Release once for each acquisition, from the scope that ` +
            'acquired, or keep the Hold and release that.'),
      { lockName, cause: override?.cause },
    )
    this.owner = owner
    this.holder = holder
  }
}

/** How a loss was noticed: the lease ran out by this machine's clocks, or the store said that the lock is not ours. */
export type LossReason = 'lease-expired' | 'not-in-store'

/**
 * A lock that was held is no longer: its lease ran out unrenewed, or somebody forced it open. Work guarded by it must stop.
 * Final: nothing of a new owner's is touched. It is a {@link NotOwnerError}; its `holder` is undefined, because who holds the
 * lock now was not asked.
 */
export class LockLostError extends NotOwnerError {
  /** @internal */
  static override readonly kind = 'LockLostError'

  /** How the loss was noticed. */
  readonly reason: LossReason
  /** What the body of `withLock` returned although the lock was lost meanwhile; `undefined` elsewhere. */
  result: unknown

  constructor(lockName: string, owner: Owner, reason: LossReason, cause?: unknown) {
    const what =
      reason === 'lease-expired'
        ? 'its lease ran out before it was renewed or released'
        : 'the store no longer has it (it expired there, was forced open, or the data was lost)'
    super(lockName, owner, undefined, {
      code: 'LOCK_LOST',
      message:
        `Lock "${shorten(lockName)}" was lost by ${owner}: ${what}. Another owner may hold it now. Stop the guarded work ` +
        'when hold.signal aborts; where a late write would do harm, check a fencing token at the resource.',
      cause,
    })
    this.reason = reason
    this.result = undefined
  }
}

/** `lock()`, `tryLock()` or `unlock()` was called where no owner is known. */
export class NoOwnerError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'NoOwnerError'

  constructor(lockName: string, method: string) {
    super(
      'NO_OWNER',
      `${method}() on lock "${shorten(lockName)}" was called outside an owner scope, so there is no one it could count for. ` +
        'Call it inside holdfast.run(async () => …), pass { owner: holdfast.owner() }, or use withLock() or acquire().',
      { lockName },
    )
  }
}

/** The `Holdfast` instance was closed: its waits end with this, and later calls are refused with it. */
export class ClosedError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'ClosedError'

  constructor(lockName?: string) {
    super(
      'CLOSED',
      `Holdfast was closed${lockName === undefined ? '' : ` while lock "${shorten(lockName)}" was in use`}. ` +
        'What was still held is no longer renewed and ends with its lease. Make a new Holdfast to go on.',
      { lockName },
    )
  }
}

/** An argument is unusable. Thrown before anything is sent. */
export class InvalidArgumentError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'InvalidArgumentError'

  /** Which argument. */
  readonly argument: string
  /** Its value. */
  readonly value: unknown

  constructor(argument: string, value: unknown, accepted: string, lockName?: string) {
    super('INVALID_ARGUMENT', `${argument} is ${describe(value)}; accepted: ${accepted}.`, { lockName })
    this.argument = argument
    this.value = value
  }
}

/** The queue of this lock in this process is full (`maxWaiters`). Nothing is held and nothing is left behind. */
export class TooManyWaitersError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'TooManyWaitersError'

  constructor(lockName: string, maxWaiters: number) {
    super(
      'TOO_MANY_WAITERS',
      `Lock "${shorten(lockName)}" already has ${maxWaiters} waiters in this process (maxWaiters). ` +
        'Shed the work, or raise maxWaiters if so many waiters are expected.',
      { lockName },
    )
  }
}

/**
 * The store failed: it cannot be reached, did not answer in time, or refused the command. `cause` is the client's own error.
 */
export class StoreError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'StoreError'

  /** What it was about. */
  readonly reason: StoreFailure
  /** The command or script that failed. */
  readonly command: string
  /** Whether the same command may succeed a moment later (the connection broke, a failover is under way, …). */
  readonly transient: boolean
  /** What the body of `withLock` returned although its release failed; `undefined` elsewhere. */
  result: unknown

  constructor(
    reason: StoreFailure,
    command: string,
    details: {
      lockName?: string | undefined
      cause?: unknown
      transient: boolean
      hint?: string | undefined
    },
  ) {
    const lock = details.lockName === undefined ? '' : ` for lock "${shorten(details.lockName)}"`
    const told = details.cause instanceof Error ? `: ${shorten(details.cause.message, 500)}` : ''
    const hint = details.hint === undefined ? '' : ` ${details.hint}`
    super('STORE_ERROR', `${command}${lock} failed (${reason})${told}.${hint}`, details)
    this.reason = reason
    this.command = command
    this.transient = details.transient
    this.result = undefined
  }
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `"${shorten(value)}"`
  if (typeof value === 'object' && value !== null) return `an object of ${classNameOf(value)}`
  if (typeof value === 'function') return 'a function'
  return shorten(String(value))
}

/** Whatever was handed in, describing it must not fail. */
function classNameOf(value: object): string {
  try {
    const name: unknown = value.constructor?.name
    return typeof name === 'string' ? shorten(name) : 'no class'
  } catch {
    return 'no class'
  }
}
