import type { Mode, Waiter } from '../lock-view.js'
import type { Keyspace } from './keyspace.js'

/** So much later than its process wanted to look, a place is taken to be that of a dead one. */
const AWAY_MS = 10_000

/** The line of a lock, in order, with modes where there are several. Places of processes that are gone are left out. */
export async function waitersIn(
  keyspace: Keyspace,
  lineKey: string,
  processesKey: string,
): Promise<Waiter[]> {
  const line = await keyspace.askIfAllowed('ZRANGE', lineKey, '0', '-1', 'WITHSCORES')
  // Usually the line is empty, and no other command is needed.
  if (texts(line).length === 0) return []
  const [processes, time] = await Promise.all([
    keyspace.askIfAllowed('HGETALL', processesKey),
    keyspace.askIfAllowed('TIME'),
  ])
  return waitersOf(line, processes, time)
}

/** The same, of what these commands have answered. */
export function waitersOf(line: unknown, processes: unknown, time: unknown): Waiter[] {
  const [seconds = 0, microseconds = 0] = texts(time).map(Number)
  const now = seconds * 1000 + microseconds / 1000
  const looks = new Map(pairs(texts(processes)).map(([client, text]) => [client, Number(text.split(' ')[0])]))
  return pairs(texts(line)).flatMap(([place, ticket]) => {
    const [mode = '', client = '', number = ''] = place.split(':')
    if (!((looks.get(client) ?? 0) + AWAY_MS > now)) return []
    const shown = MODES.get(mode)
    const waitsSince = Math.floor(Number(ticket) / 1000)
    return [
      {
        owner: `${client}:${number}`,
        ...(shown && { mode: shown }),
        ...(waitsSince > 0 && waitsSince <= now && { waitsSince }),
      },
    ]
  })
}

const MODES: ReadonlyMap<string, Mode> = new Map([
  ['r', 'read'],
  ['w', 'write'],
])

/** A flat list in RESP2; pairs or an object in the client library's RESP3 replies. */
export function texts(reply: unknown): string[] {
  if (Array.isArray(reply)) return reply.flatMap(texts)
  if (typeof reply === 'object' && reply !== null) return Object.entries(reply).flatMap(texts)
  return reply === undefined || reply === null ? [] : [String(reply)]
}

export function pairs(flat: readonly string[]): Array<readonly [string, string]> {
  return flat.flatMap((text, index) => (index % 2 === 0 ? [[text, flat[index + 1] ?? ''] as const] : []))
}
