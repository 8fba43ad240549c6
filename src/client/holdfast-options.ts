import { checkBoolean, checkObject, invalidNumber, whole } from '../base/checks/checks.js'
import { InvalidArgumentError } from '../base/errors/errors.js'
import {
  CLIENT_OPTIONS,
  type ClientOptions,
  type ClientSettings,
  checkClientOptions,
} from './client-options.js'

/** A counter must outlive every set-back of the server's clock. */
const LEAST_RETENTION_MS = 60_000

/** What a client does when a call of its own waits in a deadlock. */
export type OnDeadlock = 'reject' | 'report'

/** Settings of a `Holdfast`. Times are whole milliseconds. */
export interface HoldfastOptions extends ClientOptions {
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
   * How long the counter of a `fencedLock` stays after its last token. Tokens then come from the server's clock, so that a new
   * counter starts above all earlier tokens. Do not use it together with Redisson's `RFencedLock`, which would start at 1.
   * Minimum: 60000.
   * @default undefined: for ever, as in Redisson
   */
  readonly fenceRetentionMs?: number
  /**
   * Whether a thread with its own connection renews leases: then a blocked event loop loses no lock. For Redis and Valkey, with
   * client options that are data, since code cannot be copied to a thread. On Node: the threads of Bun and Deno share no clock.
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
   * What happens if sections, of any processes, wait for each other's locks. `'report'`: the event `deadlock` says so, and they go on
   * waiting. `'reject'`: also, this client's calls may give way: of those that may, the call that has waited shortest rejects with
   * `DeadlockError`. For Redis, Valkey, PostgreSQL, MySQL, MariaDB, SQLite and memory. See docs/deadlocks.md.
   * @default 'report'
   */
  readonly onDeadlock?: OnDeadlock
}

/** {@link HoldfastOptions}, checked and complete. */
export interface Settings extends Omit<Required<HoldfastOptions>, keyof ClientOptions | 'fenceRetentionMs'> {
  readonly client: ClientSettings
  readonly fenceRetentionMs: number | undefined
}

export function checkHoldfastOptions(given: HoldfastOptions): Settings {
  const options = checkObject('options', given, [
    ...CLIENT_OPTIONS,
    'checkReplicas',
    'replicasTimeoutMs',
    'fenceRetentionMs',
    'watchdogThread',
    'maxBlockedMs',
    'onDeadlock',
  ])
  const { checkReplicas, replicasTimeoutMs, fenceRetentionMs, watchdogThread, maxBlockedMs, ...others } =
    options
  const { onDeadlock = 'report', ...ofClient } = others
  if (onDeadlock !== 'reject' && onDeadlock !== 'report')
    throw new InvalidArgumentError('onDeadlock', onDeadlock, "'reject' or 'report'")
  const client = checkClientOptions(ofClient)
  return {
    client,
    onDeadlock,
    fenceRetentionMs: whole('fenceRetentionMs', fenceRetentionMs, LEAST_RETENTION_MS),
    ...checkThreadOptions(watchdogThread, maxBlockedMs, client.watchdogMs),
    ...checkReplicaOptions(checkReplicas, replicasTimeoutMs, client.commandTimeoutMs),
  }
}

function checkThreadOptions(watchdogThread = false, maxBlockedMs: number | undefined, watchdogMs: number) {
  checkBoolean('watchdogThread', watchdogThread)
  if (maxBlockedMs !== undefined && !watchdogThread)
    throw invalidNumber('maxBlockedMs', maxBlockedMs, 'undefined, unless watchdogThread is true')
  const least = Math.ceil(watchdogMs / 3)
  return { watchdogThread, maxBlockedMs: whole('maxBlockedMs', maxBlockedMs, least) ?? 10 * watchdogMs }
}

function checkReplicaOptions(
  asked: number | undefined,
  replicasTimeoutMs: number | undefined,
  commandTimeoutMs: number,
) {
  const checkReplicas = whole('checkReplicas', asked, 0) ?? 0
  if (replicasTimeoutMs !== undefined && checkReplicas === 0)
    throw invalidNumber('replicasTimeoutMs', replicasTimeoutMs, 'undefined, unless checkReplicas is set')
  const timeoutMs =
    whole('replicasTimeoutMs', replicasTimeoutMs, 1) ?? Math.min(1_000, Math.ceil(commandTimeoutMs / 2))
  if (checkReplicas > 0 && timeoutMs >= commandTimeoutMs)
    throw invalidNumber('replicasTimeoutMs', timeoutMs, 'less than commandTimeoutMs')
  return { checkReplicas, replicasTimeoutMs: timeoutMs }
}
