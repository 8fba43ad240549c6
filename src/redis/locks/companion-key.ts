import { slotOf } from '../connection/slot.js'

/**
 * A key (or channel) beside a lock's own, in the same slot of a cluster: `prefix:{key}`, or `prefix::key` where the key has a hash
 * tag of its own: two colons, since `{x}` is another lock than `x`, whose companion is `prefix:{x}`.
 */
export function companionOf(prefix: string, key: string): string {
  return inSlotOf(key, prefix, key.includes('{') ? `${prefix}::${key}` : `${prefix}:{${key}}`)
}

/** As Redisson names what is beside a lock: `prefix:{key}`, or `prefix:key` where the key has a hash tag. */
export function redissonCompanionOf(prefix: string, key: string): string {
  return inSlotOf(key, prefix, key.includes('{') ? `${prefix}:${key}` : `${prefix}:{${key}}`)
}

/**
 * Where the tokens of that lock are counted: Redisson's name for it. In a cluster that is no use for names whose braces are no
 * hash tag, since it is of another slot than the lock; Redisson cannot lock those.
 */
export function tokenCounterOf(key: string, inCluster: boolean): string {
  if (inCluster) return redissonCompanionOf('redisson_lock_token', key)
  return key.includes('{') ? `redisson_lock_token:${key}` : `redisson_lock_token:{${key}}`
}

/**
 * Braces that are no tag ("a{b", "}a") would put the companion elsewhere; then the least number that is of the key's slot is put
 * in as the tag: `prefix:{number}:key`.
 */
function inSlotOf(key: string, prefix: string, companion: string): string {
  if (!/[{}]/.test(key) || slotOf(companion) === slotOf(key)) return companion
  return `${prefix}:{${numberInSlot(slotOf(key))}}:${key}`
}

/**
 * What the channels begin with on which processes are told of their places in line, each by its client's id: one for all locks, in a
 * cluster for those of one slot.
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
