import { InvalidArgumentError } from '../../../base/errors/errors.js'
import { companionOf, redissonNameOf } from './companion-key.js'

/** How long the store keeps the result of a request, in case the client sends it again. */
export const REQUEST_KEPT_MS = 60_000

/** The prefix of the key of a semaphore's holders. */
export const HOLDERS_OF_PERMITS = 'holdfast_semaphore_permits'

/** The key of the times when the owners' leases end. */
export function semaphoreLeasesKeyOf(key: string): string {
  return companionOf('holdfast_semaphore_leases', key)
}

/** The key of a request's result. */
export function requestKeyOf(key: string, request: string): string {
  return `${companionOf('holdfast_request', key)}:${request}`
}

/** The channel that announces the number of available permits, by Redisson's name, for semaphores of either kind. */
export function semaphoreChannelOf(key: string): string {
  return redissonNameOf('redisson_sc', key)
}

/**
 * The key of the taken permits of a permit-expirable semaphore.
 * @throws InvalidArgumentError for `{x}`, whose permits would be those of `x`
 */
export function permitsKeyOf(key: string): string {
  if (/^\{[^{]*\}$/s.test(key))
    throw new InvalidArgumentError(
      'name',
      key,
      `a name that is not all in braces: as Redisson names keys, its permits would be those of ${JSON.stringify(key.slice(1, -1))}; leave out the braces, or write something behind them`,
    )
  return redissonPermitsKeyOf(key)
}

/** Redisson's name for it. */
export function redissonPermitsKeyOf(key: string): string {
  return key.includes('{') ? `${key}:timeout` : `{${key}}:timeout`
}

/** The channel that announces a latch, by Redisson's name. In a cluster it is in another slot than a key with a tag. */
export function latchChannelOf(key: string): string {
  return `redisson_countdownlatch__channel__{${key}}`
}
