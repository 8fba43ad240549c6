import { slotOf } from '../keys/slot.js'
import type { Link } from './link.js'

/**
 * The keys of a script that empties some of them, and one that never exists. While a slot moves between nodes of a cluster, a missing key
 * counts as moved: a script that has just emptied one fails the next time it reads it, halfway through. If a key is missing from the
 * start, the server refuses the script before it begins (TRYAGAIN), until the slot has moved.
 */
export function undivided(
  { publishCommand }: Pick<Link, 'publishCommand'>,
  keys: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  if (publishCommand !== 'SPUBLISH') return keys
  const absent = `${keys[1] ?? keys[0]}:-`
  return slotOf(absent) === slotOf(keys[0]) ? [...keys, absent] : keys
}
