import type { NodeLink } from './connection/link.js'

/** How many keys the server looks at in one step. */
const STEP = 500

/** The keys of hashes on a node whose names, after the prefix, match a glob. */
export function scanKeys(node: NodeLink, prefix: string, pattern: string): AsyncIterable<string> {
  return scanMatching(node, escapeGlob(prefix) + pattern, 'hash')
}

/** The keys of that type on a node that match a glob. SCAN, so that the server never stalls. */
export async function* scanMatching(
  node: NodeLink,
  match: string,
  type: 'hash' | 'zset',
): AsyncIterable<string> {
  const seen = new Set<string>()
  let cursor = '0'
  do {
    const scan = ['SCAN', cursor, 'MATCH', match, 'COUNT', STEP, 'TYPE', type] as const
    const reply = await node.send({ command: 'SCAN' }, ...scan)
    const [next, keys]: unknown[] = Array.isArray(reply) ? reply : []
    for (const key of Array.isArray(keys) ? keys : []) {
      // SCAN may show a key more than once.
      if (typeof key !== 'string' || seen.has(key)) continue
      seen.add(key)
      yield key
    }
    cursor = String(next ?? '0')
  } while (cursor !== '0')
}

export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&')
}
