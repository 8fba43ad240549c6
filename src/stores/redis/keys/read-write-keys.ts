import type { Keys } from '../scripts/script.js'

/** The prefix of the keys of read-write locks, which keeps them apart from locks and hashes of the same name, Redisson's too. */
const PREFIX = 'holdfast_rw'

/** The hash of the lock's holds. Listing finds the lock by this key, and its channels derive from it. */
export function holdsKeyOf(key: string): string {
  return `${PREFIX}:${taggedFrom(key)}`
}

/** All keys of that lock, in the scripts' order. They share a slot, since each has the same hash tag. */
export function readWriteKeysOf(key: string): readonly [string, string, string, string, string] {
  const tagged = taggedFrom(key)
  return [
    `${PREFIX}:${tagged}`,
    `${PREFIX}_line:${tagged}`,
    `${PREFIX}_processes:${tagged}`,
    `${PREFIX}_fence:${tagged}`,
    `${PREFIX}_leases:${tagged}`,
  ]
}

/** The keys a renewal needs: holds, leases, fence. */
export function renewedKeysOf(key: string): Keys {
  const [holds, , , fence, leases] = readWriteKeysOf(key)
  return [holds, leases, fence]
}

/** The lock's key for a key in Redis; undefined if that is not a read-write lock's. */
export function keyOfHolds(holdsKey: string): string | undefined {
  const tagged = holdsKey.slice(PREFIX.length + 1)
  if (!holdsKey.startsWith(`${PREFIX}:`) || tagged === '') return undefined
  if (!isWrapped(tagged)) return hasOwnTag(tagged) ? tagged : undefined
  const inner = tagged.slice(1, -1)
  return STARTS_ESCAPED.test(inner) ? inner.slice(1) : inner
}

/** How long the counter of tokens outlives the lease it was last used for; the scripts have the same number. */
export const FENCE_RETENTION_MS = 86_400_000

/** The scans that find the holds of every lock whose name, after that prefix, matches a glob, and which of their keys count: each once. */
export function scansFor(keyPrefix: string, pattern: string) {
  const wrapped = (holdsKey: string): boolean => isWrapped(holdsKey.slice(PREFIX.length + 1))
  return [
    { prefix: `${PREFIX}:{${keyPrefix}`, glob: `${pattern}}`, accepts: wrapped },
    { prefix: `${PREFIX}:${keyPrefix}`, glob: pattern, accepts: (holdsKey: string) => !wrapped(holdsKey) },
  ]
}

const STARTS_EMPTY = /^\{*\}/
const STARTS_ESCAPED = /^\{+\}/

/**
 * The key with a hash tag, of which no two keys get the same text: the key's own tag if it has one, else braces around the
 * whole. (Braces around "}a" would be empty, which is no tag: then one more brace goes in front.)
 */
function taggedFrom(key: string): string {
  if (hasOwnTag(key) && !isWrapped(key)) return key
  return STARTS_EMPTY.test(key) ? `{{${key}}` : `{${key}}`
}

/** Redis's rule: the first `{`, and something between it and the first `}` after it. */
function hasOwnTag(key: string): boolean {
  const open = key.indexOf('{')
  return open >= 0 && key.indexOf('}', open + 1) > open + 1
}

function isWrapped(text: string): boolean {
  return text.length > 1 && text.startsWith('{') && text.endsWith('}')
}
