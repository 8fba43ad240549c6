import { companionOf } from '../../stores/redis/keys/companion-key.js'
import { redissonPermitsKeyOf } from '../../stores/redis/keys/semaphore-keys.js'

/** The names of the additional keys of locks, and the lock to which a key found in Redis belongs. */

const TAKEN = 'holdfast_semaphore_permits'
const TIMEOUT = ':timeout'
const SEMAPHORE_CHANNEL = 'redisson_sc:'
const LATCH_CHANNEL = 'redisson_countdownlatch__channel__'

/** The line of a lock: a sorted set of places, `<mode>:<owner>`, by ticket. */
export function lineOf(key: string): string {
  return companionOf('holdfast_line', key)
}

/** The line for a semaphore's permits. */
export function semaphoreLineOf(key: string): string {
  return companionOf('holdfast_semaphore_line', key)
}

/** The line for the permits of a permit-expirable semaphore. */
export function permitsLineOf(key: string): string {
  return companionOf('holdfast_permits_line', key)
}

/** The processes in a lock's line: a hash of client -> `<when it looks> <lease> <since when nothing reaches it> <places>`. */
export function processesOf(key: string): string {
  return companionOf('holdfast_processes', key)
}

/** The Holdfast owners that hold a semaphore's permits: a hash of owner -> permits. */
export function takenOf(key: string): string {
  return companionOf(TAKEN, key)
}

/** The semaphore whose holders are in that key. */
export function keyOfTaken(found: string): string | undefined {
  if (!found.startsWith(`${TAKEN}:`)) return undefined
  const rest = found.slice(TAKEN.length + 1)
  const candidates = [/^:(.+)$/s, /^\{(.+)\}$/s, /^\{\d+\}:(.+)$/s].map((form) => form.exec(rest)?.[1])
  return candidates.find((key) => key !== undefined && takenOf(key) === found)
}

/** The permit-expirable semaphore whose permits are in that key. `{x}:timeout` belongs to `x`. */
export function keyOfPermits(found: string): string | undefined {
  if (!found.endsWith(TIMEOUT)) return undefined
  const bare = found.slice(0, -TIMEOUT.length)
  return [bare.slice(1, -1), bare].find((key) => key !== '' && redissonPermitsKeyOf(key) === found)
}

/** The semaphores whose permits may be announced on that channel. */
export function keysOfSemaphoreChannel(channel: string): readonly string[] {
  if (!channel.startsWith(SEMAPHORE_CHANNEL)) return []
  const rest = channel.slice(SEMAPHORE_CHANNEL.length)
  const inner = /^\{([^{]+)\}$/s.exec(rest)?.[1]
  return inner === undefined ? [rest] : [inner, rest]
}

/** The latch that is announced on that channel. */
export function keyOfLatchChannel(channel: string): string | undefined {
  return channel.startsWith(`${LATCH_CHANNEL}{`) && channel.endsWith('}')
    ? channel.slice(LATCH_CHANNEL.length + 1, -1)
    : undefined
}

/** Channels of semaphores and latches, as a glob. */
export const NUMBER_CHANNELS = [`${SEMAPHORE_CHANNEL}*`, `${LATCH_CHANNEL}*`] as const
