import type { Pace } from '../catalogue.js'
import type { Ask } from './keyspace.js'

/** How many keys the server scans in one step. */
const STEP = 1_000
/** As much work for the server as this many commands for one lock. */
const WEIGHT = 10

/** The keys of a type whose names match, in the server's order. The server may return a key more than once. */
export async function* scan(
  node: Ask,
  match: string,
  type: 'hash' | 'zset',
  pace: Pace,
): AsyncIterable<readonly string[]> {
  let cursor = '0'
  do {
    await pace(WEIGHT)
    const reply = await node('SCAN', cursor, 'MATCH', match, 'COUNT', STEP, 'TYPE', type)
    const [next, keys]: unknown[] = Array.isArray(reply) ? reply : []
    if (Array.isArray(keys) && keys.length > 0) yield keys.filter((key) => typeof key === 'string')
    cursor = String(next ?? '0')
  } while (cursor !== '0')
}
