import type { Keyspace } from './keyspace.js'
import type { Waiter } from './lock-view.js'

/** Who stands in a fair lock's line, first come first. Places that nobody keeps any more count for nothing. */
export async function fairWaiters(keyspace: Keyspace, lineKey: string, aliveKey: string): Promise<Waiter[]> {
  const [line, alive, now] = await readLine(keyspace, ['ZRANGE', lineKey, '0', '-1'], ['HGETALL', aliveKey])
  const lapses = new Map(pairs(alive).map(([owner, text]) => [owner, Number(text.split(' ')[0])]))
  return line.filter((owner) => (lapses.get(owner) ?? 0) > now).map((owner) => ({ owner }))
}

/** Who stands in a read-write lock's line, and for what. */
export async function readWriteWaiters(
  keyspace: Keyspace,
  lineKey: string,
  aliveKey: string,
): Promise<Waiter[]> {
  const scores = ['ZRANGE', aliveKey, '0', '-1', 'WITHSCORES'] as const
  const [line, alive, now] = await readLine(keyspace, ['ZRANGE', lineKey, '0', '-1'], scores)
  const lapses = new Map(pairs(alive).map(([member, text]) => [member, Number(text)]))
  return line
    .filter((member) => (lapses.get(member) ?? 0) > now)
    .map((member) => ({ owner: member.slice(2), mode: member.startsWith('w:') ? 'write' : 'read' }))
}

type Question = readonly [command: string, ...args: string[]]

async function readLine(
  keyspace: Keyspace,
  line: Question,
  alive: Question,
): Promise<readonly [line: string[], alive: string[], nowMs: number]> {
  const members = texts(await keyspace.askIfAllowed(...line))
  // Nobody waits, nearly always: then nothing else need be asked.
  if (members.length === 0) return [[], [], 0]
  const [lapses, time] = await Promise.all([keyspace.askIfAllowed(...alive), keyspace.askIfAllowed('TIME')])
  return [members, texts(lapses), Number(texts(time)[0] ?? 0) * 1000]
}

/** Flat as RESP2 has it, or as the client library makes it of RESP3: pairs, or an object. */
function texts(reply: unknown): string[] {
  if (Array.isArray(reply)) return reply.flatMap(texts)
  if (typeof reply === 'object' && reply !== null) return Object.entries(reply).flatMap(texts)
  return reply === undefined || reply === null ? [] : [String(reply)]
}

function pairs(flat: readonly string[]): Array<readonly [string, string]> {
  return flat.flatMap((text, index) => (index % 2 === 0 ? [[text, flat[index + 1] ?? ''] as const] : []))
}
