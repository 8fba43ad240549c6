import { slotOf } from '../connection/slot.js'

/**
 * A key (or channel) beside a lock's, in the same slot of a cluster: `prefix:{key}`, or `prefix::key` if the key has a hash tag: two
 * colons, since `{x}` is another lock than `x`, whose companion is `prefix:{x}`.
 */
export function companionOf(prefix: string, key: string): string {
  return inSlotOf(key, prefix, key.includes('{') ? `${prefix}::${key}` : `${prefix}:{${key}}`)
}

/** Redisson's name for what is beside a key: `prefix:{key}`, or `prefix:key` if the key has a hash tag. */
export function redissonNameOf(prefix: string, key: string): string {
  return key.includes('{') ? `${prefix}:${key}` : `${prefix}:{${key}}`
}

/** As {@link redissonNameOf}, but in the key's slot. */
export function redissonCompanionOf(prefix: string, key: string): string {
  return inSlotOf(key, prefix, redissonNameOf(prefix, key))
}

/**
 * The key of that lock's token counter: Redisson's name for it. In a cluster that name is useless if the braces are no hash tag, because
 * it is in another slot than the lock; Redisson cannot lock those.
 */
export function tokenCounterOf(key: string, inCluster: boolean): string {
  return (inCluster ? redissonCompanionOf : redissonNameOf)('redisson_lock_token', key)
}

/**
 * Braces that are no tag ("a{b", "}a") would put the companion in another slot; then the least number in the key's slot becomes the
 * tag: `prefix:{number}:key`.
 */
function inSlotOf(key: string, prefix: string, companion: string): string {
  if (!/[{}]/.test(key) || slotOf(companion) === slotOf(key)) return companion
  return `${prefix}:{${numberInSlot(slotOf(key))}}:${key}`
}

/**
 * The prefix of the processes' channels, which end with the client's id: one for all locks, in a cluster one for the locks of each slot.
 */
export function processChannelsOf(key: string, inCluster: boolean): string {
  return inCluster ? `holdfast:{${numberInSlot(slotOf(key))}}:` : 'holdfast:'
}

const numbers = new Map<number, number>()

function numberInSlot(slot: number): number {
  const known = numbers.get(slot)
  if (known !== undefined) return known
  let number = 0
  while (slotOf(String(number)) !== slot) number += 1
  numbers.set(slot, number)
  return number
}
