import { LONGEST_TIMER_MS } from '../../../base/time/clock.js'
import { leadsElsewhere } from './failure.js'

/** A command's time allows for so many sentinels, one after the other: a silent one leaves the next enough time. */
const SENTINELS_PER_COMMAND = 4

/**
 * Holdfast's options for a connection, whatever the application's options for its own (rule C1).
 * @param theirs the application's options.
 */
export function connectionSettings(
  commandTimeoutMs: number,
  role: 'commands' | 'news',
  theirs: object = {},
): object {
  const sentinelTimeoutMs = timerMs(commandTimeoutMs / SENTINELS_PER_COMMAND, 50)
  const theirSentinelTimeout = 'sentinelCommandTimeout' in theirs ? theirs.sentinelCommandTimeout : undefined
  const theirName = 'connectionName' in theirs ? theirs.connectionName : undefined
  const theirReason = 'reconnectOnError' in theirs ? theirs.reconnectOnError : undefined
  return {
    lazyConnect: true,
    connectTimeout: timerMs(commandTimeoutMs, 100),
    keepAlive: 10_000,
    // How long to wait for the peer's goodbye: the client's timer for it would keep the process alive.
    disconnectTimeout: 100,
    // A proxy that does not know CLIENT SETNAME may hang up on it: only an application that names its own connections has none such.
    connectionName: theirName ? `holdfast-${role}` : undefined,
    // Holdfast puts the prefix in front by itself, once: several keys and channels follow from a lock's name.
    keyPrefix: '',
    // Only the core repeats a command whose reply is lost: it knows the count that the command starts from (rule X1).
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: null,
    // Holdfast decides when to reconnect, so that an idle client neither keeps trying nor keeps the process alive.
    retryStrategy: () => null,
    // If the application takes an error for a sign of the wrong server, so does Holdfast. It ignores the wish to send the command again
    // (2): see above.
    reconnectOnError: (error: Error): boolean =>
      leadsElsewhere(error) || (typeof theirReason === 'function' && Boolean(theirReason(error))),
    // The same goes for asking the sentinels again when none of them knew.
    sentinelRetryStrategy: () => null,
    sentinelCommandTimeout:
      typeof theirSentinelTimeout === 'number'
        ? Math.min(theirSentinelTimeout, sentinelTimeoutMs)
        : sentinelTimeoutMs,
    // Its connections to sentinels would keep the process alive. That the primary is another one shows by its answers.
    failoverDetector: false,
    // Holdfast also renews the subscriptions, because waiters must learn that they may have missed a message.
    autoResubscribe: false,
    enableOfflineQueue: true,
    enableAutoPipelining: false,
    commandTimeout: undefined,
    socketTimeout: undefined,
    blockingTimeout: undefined,
    scripts: undefined,
    himportFieldsets: undefined,
    monitor: false,
    readOnly: false,
    role: 'master',
    stringNumbers: false,
    replyMapping: 'legacy',
    showFriendlyErrorStack: false,
  }
}

/** A time that a timer can take, and no less than `leastMs`. */
function timerMs(ms: number, leastMs: number): number {
  return Math.min(Math.max(Math.ceil(ms), leastMs), LONGEST_TIMER_MS)
}
