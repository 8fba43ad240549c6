import type { NodeLink } from './link.js'
import { permitsKeyOf } from './semaphore-keys.js'

/** How many keys the server looks at in one step. */
const STEP = 500

/** The semaphores on a node whose names, after the prefix, match a glob and of which permits are out, by their keys. */
export async function* permitSetsOn(
  node: NodeLink,
  keyPrefix: string,
  pattern: string,
): AsyncIterable<string> {
  const seen = new Set<string>()
  const names = escapeGlob(keyPrefix) + pattern
  for (const match of [`{${names}}:timeout`, `${names}:timeout`]) {
    for await (const found of sortedSets(node, match)) {
      const bare = found.slice(0, -':timeout'.length)
      const semaphore = match.startsWith('{') ? bare.slice(1, -1) : bare
      // Both matches find `{name}:timeout`, which is that of `name` and of `{name}`.
      if (permitsKeyOf(semaphore) !== found || seen.has(found)) continue
      seen.add(found)
      yield semaphore
    }
  }
}

async function* sortedSets(node: NodeLink, match: string): AsyncIterable<string> {
  let cursor = '0'
  do {
    const scan = ['SCAN', cursor, 'MATCH', match, 'COUNT', STEP, 'TYPE', 'zset'] as const
    const reply = await node.send({ command: 'SCAN' }, ...scan)
    const [next, keys]: unknown[] = Array.isArray(reply) ? reply : []
    for (const key of Array.isArray(keys) ? keys : []) if (typeof key === 'string') yield key
    cursor = String(next ?? '0')
  } while (cursor !== '0')
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&')
}
