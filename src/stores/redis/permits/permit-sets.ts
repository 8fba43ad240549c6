import type { NodeLink } from '../connection/link.js'
import { redissonPermitsKeyOf } from '../keys/semaphore-keys.js'
import { escapeGlob, scanMatching } from '../scripts/scan.js'

/** The semaphores on a node with taken permits whose names, after the prefix, match a glob. */
export async function* permitSetsOn(
  node: NodeLink,
  keyPrefix: string,
  pattern: string,
): AsyncIterable<string> {
  const seen = new Set<string>()
  const names = escapeGlob(keyPrefix) + pattern
  for (const match of [`{${names}}:timeout`, `${names}:timeout`]) {
    for await (const found of scanMatching(node, match, 'zset')) {
      const bare = found.slice(0, -':timeout'.length)
      const semaphore = match.startsWith('{') ? bare.slice(1, -1) : bare
      // Both matches find `{name}:timeout`, which is that of `name`.
      if (redissonPermitsKeyOf(semaphore) !== found || seen.has(found)) continue
      seen.add(found)
      yield semaphore
    }
  }
}
