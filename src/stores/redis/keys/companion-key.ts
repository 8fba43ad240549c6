import { InvalidArgumentError } from '../../../base/errors/errors.js'
import { slotOf } from './slot.js'

/** Keys that stand beside a lock's, and are no lock. */
export const COMPANION =
  /^(?:holdfast_(?:line|processes|tickets|edges|semaphore_[a-z]+|permits_[a-z]+|request|once|replicas|tokens|rw[a-z_]*)|redisson_lock_token):/

/**
 * A key (or channel) beside a lock's, in the same slot of a cluster: `prefix:{key}`; `prefix::key` if the key has a hash tag; and
 * `prefix:{number}:key` if it has braces that are none ("a{b", "}a") and would put the companion in another slot: with a number of the key's
 * slot as the tag. No two keys have the same one: the first form has no braces within its own, the others differ in what follows the prefix.
 *
 * @throws InvalidArgumentError if the key is itself one that stands beside another
 */
export function companionOf(prefix: string, key: string): string {
  if (COMPANION.test(key))
    throw new InvalidArgumentError(
      'name',
      key,
      'a name whose key is not one of those that Holdfast keeps beside locks; put a prefix of your own before it',
    )
  if (!/[{}]/.test(key)) return `${prefix}:{${key}}`
  const companion = `${prefix}::${key}`
  return slotOf(companion) === slotOf(key) ? companion : `${prefix}:{${numberInSlot(slotOf(key))}}:${key}`
}

/** Redisson's name for what is beside a key: `prefix:{key}`, or `prefix:key` if the key has a hash tag. */
export function redissonNameOf(prefix: string, key: string): string {
  return key.includes('{') ? `${prefix}:${key}` : `${prefix}:{${key}}`
}

/**
 * The key of that lock's token counter: Redisson's name for it. In a cluster that name is useless if the braces are no hash tag, because
 * it is in another slot than the lock; Redisson cannot lock those.
 */
export function tokenCounterOf(key: string, inCluster: boolean): string {
  const redissons = redissonNameOf('redisson_lock_token', key)
  return !inCluster || slotOf(redissons) === slotOf(key) ? redissons : companionOf('holdfast_tokens', key)
}

/** The prefix of the processes' channels, which end with the client's id: one for all locks, in a cluster one for the locks of each slot. */
export function processChannelsOf(key: string, inCluster: boolean): string {
  return inCluster ? `holdfast:{${numberInSlot(slotOf(key))}}:` : 'holdfast:'
}

const numbers = new Map<number, string>()

/** The least number of that slot. Of six digits, so that a pattern of an ACL can name the keys of one prefix. */
function numberInSlot(slot: number): string {
  const known = numbers.get(slot)
  if (known !== undefined) return known
  const textOf = (number: number): string => String(number).padStart(6, '0')
  let number = 0
  while (slotOf(textOf(number)) !== slot) number += 1
  numbers.set(slot, textOf(number))
  return textOf(number)
}

/**
 * The keys of a script that empties some of them, and one that never exists. While a slot moves between nodes of a cluster, a missing key
 * counts as moved: a script that has just emptied one fails the next time it reads it, halfway through. If a key is missing from the
 * start, the server refuses the script before it begins (TRYAGAIN), until the slot has moved.
 */
export function undivided(
  keys: readonly [string, ...string[]],
  inCluster: boolean,
): readonly [string, ...string[]] {
  if (!inCluster) return keys
  const absent = `${keys[1] ?? keys[0]}:-`
  return slotOf(absent) === slotOf(keys[0]) ? [...keys, absent] : keys
}
