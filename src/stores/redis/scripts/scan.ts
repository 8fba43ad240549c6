import { answerTo } from '../connection/failure.js'
import type { Link } from '../connection/link.js'
import { listIn, textIn } from './replies.js'

/** How many keys the server looks at in one step. */
const STEP = 500

/** The keys of hashes whose names, after the prefix, match a glob. */
export function scanKeys(link: Link, prefix: string, pattern: string): AsyncIterable<string> {
  return scanMatching(link, escapeGlob(prefix) + pattern, 'hash')
}

/** The keys of that type, on every node, that match a glob. SCAN, so that the server never stalls. */
export async function* scanMatching(link: Link, match: string, type: 'hash' | 'zset'): AsyncIterable<string> {
  const about = { command: 'SCAN' }
  for (const node of await link.nodes()) {
    const seen = new Set<string>()
    let cursor = '0'
    do {
      const scan = ['SCAN', cursor, 'MATCH', match, 'COUNT', STEP, 'TYPE', type] as const
      const step = await answerTo(about, node.send(about, ...scan), (reply) => {
        const [next, keys] = listIn(reply, 2, 2)
        return { next: textIn(next), keys: listIn(keys).map(textIn) }
      })
      for (const key of step.keys) {
        // SCAN may show a key more than once.
        if (seen.has(key)) continue
        seen.add(key)
        yield key
      }
      cursor = step.next
    } while (cursor !== '0')
  }
}

export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&')
}
