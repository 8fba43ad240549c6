import { checkBoolean, checkObject, whole, wholeOrAuto, wholeOrInfinite } from '../base/checks/checks.js'
import { InvalidArgumentError } from '../base/errors/errors.js'
import { defaultLabel, isLabel, LONGEST_LABEL } from '../base/identity/label.js'

/** A busy event loop cannot renew more often than every third of this. */
const LEAST_WATCHDOG_MS = 50

/** Settings of every client. Times are whole milliseconds. */
export interface ClientOptions {
  /**
   * The client's name for others: they read it wherever they see who holds a lock or waits for it, in errors, in events, on the command
   * line and in the store. 1 to 80 bytes, without control characters. See docs/labels.md.
   * @default `host:pid`
   */
  readonly label?: string
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
   * How many calls may wait for one lock in this process, on both sides of a read-write lock together; if more wait, the newest rejects
   * with `TooManyWaitersError`. Minimum: 1.
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
   * as another process asks for the lock; one that cannot tell it (a client of Redisson, say) waits this long at the most. `'auto'`: about
   * twice as long as this process has needed the last times until it came back, after it has come back within 12 ms eight times in a row,
   * and no longer than `handOverSliceMs` after it got the lock. For `lock`, `fencedLock` and, as a number, `fairLock`; other kinds ignore
   * it. Never longer than the lease. See docs/lingering.md. Minimum: 0.
   * @default 'auto'; 0: every release frees the lock at once
   */
  readonly lingerMs?: number | 'auto'
  /**
   * Whether to record stacks for `warning` events. Costs some microseconds per call.
   * @default false
   */
  readonly diagnostics?: boolean
}

/** {@link ClientOptions}, checked and complete. */
export type ClientSettings = Required<ClientOptions>

export const CLIENT_OPTIONS: readonly string[] = (
  'label watchdogMs commandTimeoutMs storeTimeoutMs maxHoldMs quarantineMs maxWaiters warnAfterMs maxHandOvers ' +
  'handOverSliceMs lingerMs diagnostics'
).split(' ')

export function checkClientOptions(given: ClientOptions): ClientSettings {
  const options = checkObject('options', given, CLIENT_OPTIONS)
  const { diagnostics = false, label = defaultLabel() } = options
  if (!isLabel(label))
    throw new InvalidArgumentError(
      'label',
      label,
      `a text of 1 to ${LONGEST_LABEL} bytes, without control characters, line breaks and marks of writing direction`,
    )
  checkBoolean('diagnostics', diagnostics)
  return {
    label,
    watchdogMs: whole('watchdogMs', options.watchdogMs, LEAST_WATCHDOG_MS) ?? 30_000,
    quarantineMs: whole('quarantineMs', options.quarantineMs, 0) ?? 0,
    commandTimeoutMs: whole('commandTimeoutMs', options.commandTimeoutMs, 1) ?? 3_000,
    storeTimeoutMs: whole('storeTimeoutMs', options.storeTimeoutMs, 0) ?? 10_000,
    maxHoldMs: wholeOrInfinite('maxHoldMs', options.maxHoldMs, 1) ?? Infinity,
    maxWaiters: wholeOrInfinite('maxWaiters', options.maxWaiters, 1, 'waiters') ?? Infinity,
    warnAfterMs: wholeOrInfinite('warnAfterMs', options.warnAfterMs, 1) ?? 10_000,
    maxHandOvers: wholeOrInfinite('maxHandOvers', options.maxHandOvers, 0, 'hand-overs') ?? 256,
    handOverSliceMs: wholeOrInfinite('handOverSliceMs', options.handOverSliceMs, 0) ?? 25,
    lingerMs: wholeOrAuto('lingerMs', options.lingerMs, 0) ?? 'auto',
    diagnostics,
  }
}
