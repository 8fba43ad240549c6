import { companionOf } from '../locks/companion-key.js'

/** How long what a request came to is kept, for the case that it is sent again. */
export const REQUEST_KEPT_MS = 60_000

/** What a semaphore's table of holders is called, before its name. */
export const HOLDERS_OF_PERMITS = 'holdfast_semaphore_permits'

/** Until when each owner has the permits it took. */
export function semaphoreLeasesKeyOf(key: string): string {
  return companionOf('holdfast_semaphore_leases', key)
}

/** Where it is kept what a request came to. */
export function requestKeyOf(key: string, request: string): string {
  return `${companionOf('holdfast_request', key)}:${request}`
}

/** The channel on which the number of available permits is announced: Redisson's name for it, for semaphores of either kind. */
export function semaphoreChannelOf(key: string): string {
  return key.includes('{') ? `redisson_sc:${key}` : `redisson_sc:{${key}}`
}

/** Where Redisson keeps the permits of a permit-expirable semaphore that are out. */
export function permitsKeyOf(key: string): string {
  return key.includes('{') ? `${key}:timeout` : `{${key}}:timeout`
}

/** The channel on which a latch is announced: Redisson's name for it, which puts it elsewhere in a cluster where the key has a tag. */
export function latchChannelOf(key: string): string {
  return `redisson_countdownlatch__channel__{${key}}`
}
