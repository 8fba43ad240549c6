import { createHash } from 'node:crypto'

/** Of the 250 bytes that a key may have. */
const LONGEST_NAME = 200

/**
 * The key of a lock. Names that are no key, because they are long or have spaces or other than ASCII characters, are hashed; no name
 * can have the key of another, since a hash has a prefix of its own.
 */
export function keyOf(name: string): string {
  if (name.length <= LONGEST_NAME && /^[\x21-\x7e]+$/.test(name)) return `holdfast:lock:${name}`
  return `holdfast:sha256:${createHash('sha256').update(name).digest('hex')}`
}
