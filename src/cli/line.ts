import type { Keyspace } from './keyspace.js'
import type { Waiter } from './lock-view.js'

/** The line of a fair lock, in order. Lapsed places are left out. */
export async function fairWaiters(keyspace: Keyspace, lineKey: string, aliveKey: string): Promise<Waiter[]> {
  const [line, alive, now] = await readLine(keyspace, ['ZRANGE', lineKey, '0', '-1'], ['HGETALL', aliveKey])
  const lapses = new Map(pairs(alive).map(([owner, text]) => [owner, Number(text.split(' ')[0])]))
  return line.filter((owner) => (lapses.get(owner) ?? 0) > now).map((owner) => ({ owner }))
}

/** The line of a read-write lock, in order, with modes. */
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
  // Usually the line is empty, and no other command is needed.
  if (members.length === 0) return [[], [], 0]
  const [lapses, time] = await Promise.all([keyspace.askIfAllowed(...alive), keyspace.askIfAllowed('TIME')])
  return [members, texts(lapses), Number(texts(time)[0] ?? 0) * 1000]
}

/** A flat list in RESP2; pairs or an object in the client library's RESP3 replies. */
function texts(reply: unknown): string[] {
  if (Array.isArray(reply)) return reply.flatMap(texts)
  if (typeof reply === 'object' && reply !== null) return Object.entries(reply).flatMap(texts)
  return reply === undefined || reply === null ? [] : [String(reply)]
}

function pairs(flat: readonly string[]): Array<readonly [string, string]> {
  return flat.flatMap((text, index) => (index % 2 === 0 ? [[text, flat[index + 1] ?? ''] as const] : []))
}
