import { LONGEST_TIMER_MS } from '../../time/clock.js'
import { leadsElsewhere } from './failure.js'

/** A sentinel that does not answer within this part of a command's time is passed over: the next one has time to. */
const SENTINELS_PER_COMMAND = 4

/**
 * What Holdfast asks of a connection, whatever the application asked of the one it was made from (rule C1).
 * @param theirs what the application asked.
 */
export function connectionSettings(
  commandTimeoutMs: number,
  role: 'commands' | 'news',
  theirs: object = {},
): object {
  const sentinelTimeoutMs = timerMs(commandTimeoutMs / SENTINELS_PER_COMMAND, 50)
  const theirSentinelTimeout = 'sentinelCommandTimeout' in theirs ? theirs.sentinelCommandTimeout : undefined
  const theirReason = 'reconnectOnError' in theirs ? theirs.reconnectOnError : undefined
  return {
    lazyConnect: true,
    connectTimeout: timerMs(commandTimeoutMs, 100),
    keepAlive: 10_000,
    // How long to wait for the peer's goodbye: the client's timer for it would keep the process alive.
    disconnectTimeout: 100,
    connectionName: `holdfast-${role}`,
    // All that is derived from a lock's name starts with the prefix, so Holdfast applies it itself, once.
    keyPrefix: '',
    // A command whose reply was lost is repeated by the core, which knows what it starts from, and by nobody else (rule X1).
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: null,
    // Reconnecting is decided here, so that an idle client does not keep trying, nor the process alive.
    retryStrategy: () => null,
    // What the application takes for a sign that it is connected to the wrong server is one here too. Its wish to have the command
    // sent again (2) is not: see above.
    reconnectOnError: (error: Error): boolean =>
      leadsElsewhere(error) || (typeof theirReason === 'function' && Boolean(theirReason(error))),
    // So is asking the sentinels again when none of them knew.
    sentinelRetryStrategy: () => null,
    sentinelCommandTimeout:
      typeof theirSentinelTimeout === 'number'
        ? Math.min(theirSentinelTimeout, sentinelTimeoutMs)
        : sentinelTimeoutMs,
    // Subscriptions are renewed here too, because whoever waits must be told that it may have missed something.
    autoResubscribe: false,
    enableOfflineQueue: true,
    enableAutoPipelining: false,
    commandTimeout: undefined,
    socketTimeout: undefined,
    blockingTimeout: undefined,
    scripts: undefined,
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
