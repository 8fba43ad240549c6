import { labelOf, ownerText } from '../identity/label.js'
import type { Owner } from '../identity/owner.js'
import { typeText } from './found.js'
import { clean, HoldfastError, quoted, shorten } from './holdfast-error.js'
import { isError } from './is-error.js'

export { HoldfastError, type HoldfastErrorDetails } from './holdfast-error.js'

/** Why a store failed; see {@link StoreError.reason}. */
export type StoreFailure =
  | 'unreachable'
  | 'timeout'
  | 'not-ready'
  | 'not-installed'
  | 'wrong-type'
  | 'permission'
  | 'out-of-memory'
  | 'read-only'
  | 'replicas'
  | 'script'
  | 'unreadable'
  | 'unknown'

const LOCK = ['Lock', 'was not acquired', 'anybody holds the lock'] as const

/** What a call can want: its name, what did not happen, what nobody knows without an answer, and which call does without it. */
const WANTED = {
  lock: [...LOCK, ', or use tryAcquire() if you can do without the lock'],
  permits: ['Permits of', 'were not acquired', 'any are available', ', or use tryAcquire()'],
  await: ['Latch', 'did not open', 'it is open', ', or use tryAwait() if you need not wait for it'],
  value: [...LOCK, ''],
  transaction: [...LOCK, ''],
} as const

/** The call did not get the lock within `waitMs`. It holds nothing and leaves nothing behind. */
export class LockTimeoutError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'LockTimeoutError'

  /** How long the call waited, in milliseconds. */
  readonly waitedMs: number
  /** The owner that held the lock when it was last seen, if known. */
  readonly holder: Owner | undefined
  /** Its client's label, if known. */
  readonly holderLabel: string | undefined
  /** Since when it had the lock, in milliseconds since 1970 by the store's clock, if known. */
  readonly heldSince: number | undefined

  constructor(
    lockName: string,
    waitedMs: number,
    seen: {
      holder?: Owner | undefined
      heldSince?: number | undefined
      remainingMs?: number | undefined
    },
    cause?: unknown,
    wants: 'lock' | 'permits' | 'await' | 'value' | 'transaction' = 'lock',
  ) {
    const { holder, heldSince, remainingMs = Infinity } = seen
    const left = `${Math.round(remainingMs)} ms`
    const lease = holder === undefined ? `; a lease ends in ${left}` : ` with ${left} of its lease left`
    const by = holder === undefined ? '' : `; last seen held by ${ownerText(holder, heldSince)}`
    const [noun, outcome, unknown, instead] = WANTED[wants]
    const advice =
      cause === undefined
        ? wants === 'permits' && seen.remainingMs === Infinity
          ? 'No lease ends that would return permits. If their number was never set, write semaphore(name, permits), or call trySetPermits().'
          : `Wait longer (waitMs)${instead}.`
        : `${troubleText(cause)} Whether ${unknown} is not known.`
    const what = `${noun} ${quoted(lockName)} ${outcome} within ${Math.round(waitedMs)} ms`
    const ends = Number.isFinite(remainingMs) ? lease : ''
    super('LOCK_TIMEOUT', `${what}${by}${ends}. ${advice}`, { lockName, cause })
    this.waitedMs = waitedMs
    this.holder = holder
    this.holderLabel = holder && labelOf(holder)
    this.heldSince = heldSince
  }
}

/** What kept a call from an answer: a longer wait is no remedy. */
function troubleText(cause: unknown): string {
  if (!(cause instanceof StoreError)) return 'The store failed or did not answer in time: see cause.'
  const why = reasonText(cause.cause, 200)
  switch (cause.reason) {
    case 'unreachable':
      return `The server could not be reached${why}. Check its address, and that it runs.`
    case 'timeout':
      return `The server did not answer${why}. Check its address, and that it is healthy.`
    default:
      return `The server failed (${cause.reason})${why}.`
  }
}

/** What another library's error says, for the end of a sentence. */
function reasonText(raw: unknown, longest: number): string {
  const cause = clean(raw)
  const text = isError(cause) ? shorten(cause.message, longest).replace(/\.+$/, '') : ''
  return text === '' ? '' : `: ${text}`
}

/** An owner tried to release or to use a lock that it does not hold. The store is unchanged. Final: a retry cannot succeed. */
export class NotOwnerError extends HoldfastError {
  /** @internal */
  static override readonly kind: string = 'NotOwnerError'

  /** The owner that tried. */
  readonly owner: Owner
  /** The owner that holds the lock instead; `undefined` if it is free or the holder is unknown. */
  readonly holder: Owner | undefined
  /** The label of the holder's client, if known. */
  readonly holderLabel: string | undefined
  /** Since when the holder has the lock, in milliseconds since 1970 by the store's clock, if known. */
  readonly heldSince: number | undefined

  constructor(
    lockName: string,
    owner: Owner,
    holder?: Owner | undefined,
    override?: { code: string; message: string; cause?: unknown },
    heldSince?: number,
  ) {
    super(
      override?.code ?? 'NOT_OWNER',
      override?.message ??
        (owner === holder
          ? `Owner ${ownerText(owner)} holds lock ${quoted(lockName)}, but not in this scope: only the scope that took a hold, or one ` +
            'inside it, can release it, and a section of withLock() ends by itself.'
          : `Owner ${ownerText(owner)} does not hold lock ${quoted(lockName)}` +
            `${holder === undefined ? '' : `; it is held by ${ownerText(holder, heldSince)}`}. Release once for each acquisition, from the scope that ` +
            'acquired it, or keep the Hold and release that.'),
      { lockName, cause: override?.cause },
    )
    this.owner = owner
    this.holder = holder
    this.holderLabel = holder && labelOf(holder)
    this.heldSince = heldSince
  }
}

/** A hold was to be used that was released. */
export function releasedHold(lockName: string, owner: Owner): NotOwnerError {
  const message =
    `This hold of lock ${quoted(lockName)} by ${ownerText(owner)} was released, so it can no longer be used. ` +
    'Release it when its work is done, or acquire the lock again.'
  return new NotOwnerError(lockName, owner, undefined, { code: 'NOT_OWNER', message })
}

/**
 * How Holdfast learned of a loss: the lease ran out by this machine's clocks; the store answered that the owner does not hold the lock; or
 * the client's session at the store ended, and all its locks with it.
 */
export type LossReason = 'lease-expired' | 'not-in-store' | 'session-ended'

const lossTexts: Readonly<Record<LossReason, string>> = {
  'lease-expired': 'its lease ran out before it was renewed or released',
  'not-in-store': 'the store no longer has it (it expired, was forced open, or the server lost its data)',
  'session-ended': "the client's session at the store has ended, and all its locks with it",
}

/**
 * The owner has lost its lock: the lease ran out unrenewed, or the lock was forced open. Work guarded by it must stop. Final: a new
 * owner's lock is not touched. It is a {@link NotOwnerError}; its `holder` is undefined, because Holdfast did not ask for the
 * present holder.
 */
export class LockLostError extends NotOwnerError {
  /** @internal */
  static override readonly kind = 'LockLostError'

  /** How the loss was noticed. */
  readonly reason: LossReason
  /** The result of `withLock`'s body, if it returned one although the lock was lost; otherwise `undefined`. */
  result: unknown

  constructor(lockName: string, owner: Owner, reason: LossReason, cause?: unknown) {
    super(lockName, owner, undefined, {
      code: 'LOCK_LOST',
      message:
        `Lock ${quoted(lockName)} was lost by ${ownerText(owner)}: ${lossTexts[reason]}. Another owner may hold it now. Stop the guarded work ` +
        'when hold.signal aborts; if a late write would do harm, check a fencing token at the resource.',
      cause,
    })
    this.reason = reason
    this.result = undefined
  }
}

/** `lock()`, `tryLock()` or `unlock()` was called outside an owner scope and without an `owner`. */
export class NoOwnerError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'NoOwnerError'

  constructor(lockName: string, method: string) {
    super(
      'NO_OWNER',
      `${method}() on lock ${quoted(lockName)} was called outside an owner scope, so it has no owner. ` +
        'Call it inside holdfast.run(async () => …), pass { owner: holdfast.owner() }, or use withLock() or acquire().',
      { lockName },
    )
  }
}

/** The `Holdfast` instance was closed: its waits and all later calls reject with this error. */
export class ClosedError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'ClosedError'

  constructor(lockName?: string) {
    super(
      'CLOSED',
      `Holdfast was closed${lockName === undefined ? '' : ` while lock ${quoted(lockName)} was in use`}. ` +
        'Its locks are no longer renewed and end with their leases. Create a new Holdfast to continue.',
      { lockName },
    )
  }
}

/** An argument is invalid. Thrown before anything is sent. It says what the argument is, never what it holds: that may be a secret. */
export class InvalidArgumentError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'InvalidArgumentError'

  /** Which argument. */
  readonly argument: string
  /** @param found what is wrong with it, in place of its type; for what can be no secret. */
  constructor(
    argument: string,
    value: unknown,
    accepted: string,
    { lockName, found = `is ${typeText(value)}` }: { lockName?: string | undefined; found?: string } = {},
  ) {
    super('INVALID_ARGUMENT', `${argument} ${found}; accepted: ${accepted}.`, { lockName })
    this.argument = argument
  }
}

/** The queue of this lock in this process is full (`maxWaiters`). The call holds nothing and leaves nothing behind. */
export class TooManyWaitersError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'TooManyWaitersError'

  constructor(lockName: string, maxWaiters: number) {
    super(
      'TOO_MANY_WAITERS',
      `Lock ${quoted(lockName)} already has ${maxWaiters} waiters in this process (maxWaiters). ` +
        'Reject the work, or raise maxWaiters.',
      { lockName },
    )
  }
}

/** The store failed: it is out of reach, did not answer in time, or refused the command. `cause` is the client library's error. */
export class StoreError extends HoldfastError {
  /** @internal */
  static override readonly kind = 'StoreError'

  /** Why it failed. */
  readonly reason: StoreFailure
  /** The command or script that failed. */
  readonly command: string
  /** Whether the same command may succeed a moment later (the connection broke, a failover is under way, …). */
  readonly transient: boolean
  /** The result of `withLock`'s body, if it returned one although the release failed; otherwise `undefined`. */
  result: unknown
  readonly #hint: string | undefined

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
    const lock = details.lockName === undefined ? '' : ` for lock ${quoted(details.lockName)}`
    const told = reasonText(details.cause, 500)
    const hint = details.hint === undefined ? '' : ` ${details.hint}`
    super('STORE_ERROR', `${command}${lock} failed (${reason})${told}.${hint}`, details)
    this.reason = reason
    this.command = command
    this.transient = details.transient
    this.result = undefined
    this.#hint = details.hint
  }

  /** @internal This failure with the name of the lock that a call asked for, and the call's command; the command itself named no lock. */
  at(lockName: string, command = this.command): StoreError {
    if (this.lockName !== undefined) return this
    const { reason, cause, transient } = this
    return new StoreError(reason, command, { lockName, cause, transient, hint: this.#hint })
  }
}
