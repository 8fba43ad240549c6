import { createHash } from 'node:crypto'

/** The longest plain name; a key may have 250 bytes. */
const LONGEST_NAME = 200

/**
 * The key of a lock. A name that cannot be a key, because it is long or has spaces or other than ASCII characters, becomes a hash; no two
 * names share a key, since hashes have a prefix of their own.
 */
export function keyOf(name: string): string {
  if (name.length <= LONGEST_NAME && /^[\x21-\x7e]+$/.test(name)) return `holdfast:lock:${name}`
  return `holdfast:sha256:${createHash('sha256').update(name).digest('hex')}`
}
