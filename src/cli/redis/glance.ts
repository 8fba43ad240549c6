import { StoreError } from '../../base/errors/errors.js'
import { isOwner } from '../../base/identity/owner.js'
import { companionOf, redissonNameOf, tokenCounterOf } from '../../stores/redis/keys/companion-key.js'
import { readWriteKeysOf } from '../../stores/redis/keys/read-write-keys.js'
import { permitsKeyOf } from '../../stores/redis/keys/semaphore-keys.js'
import type { Holder, LockView } from '../lock-view.js'
import { lineOf, processesOf } from './key-names.js'
import type { Keyspace } from './keyspace.js'
import { pairs, texts, waitersOf } from './line.js'

/** So many are read with one script. */
export const AT_ONCE = 50
/** As much work for the server as this many commands for one lock. */
const GLANCE_COMMANDS = 10

/** What a glance tells of a name. */
export interface Glance {
  /** The plain, fair or fenced lock of that name. */
  readonly view: LockView
  /** Whether other sorts of locks have the name too. */
  readonly isOne: boolean
}

/**
 * A hash of more fields is an application's, and what holds something else beside it takes a closer look; a longer line is read to its
 * 200th place.
 */
const SCRIPT = `
local answers = { redis.call('TIME') }
for at = 1, #KEYS, 8 do
  local fields, answer = redis.pcall('HLEN', KEYS[at]), false
  if type(fields) == 'number' and fields <= 100 then
    local line = redis.pcall('ZRANGE', KEYS[at + 2], 0, 199, 'WITHSCORES')
    answer = {
      redis.call('PTTL', KEYS[at]), redis.call('HGETALL', KEYS[at]), redis.pcall('GET', KEYS[at + 1]), line,
      line[1] and redis.pcall('HGETALL', KEYS[at + 3]) or {},
      redis.call('EXISTS', KEYS[at + 4], KEYS[at + 5], KEYS[at + 6], KEYS[at + 7]),
    }
    for part = 3, 5 do
      if type(answer) == 'table' and type(answer[part]) == 'table' and answer[part].err then answer = false end
    end
  end
  answers[#answers + 1] = answer
end
if ARGV[1] then
  local counts = redis.pcall('PUBSUB', 'SHARDNUMSUB', ARGV[1], ARGV[2])
  answers[#answers + 1] = not counts.err and counts
end
return answers`

/** What it takes to glance at so many. */
export function glanceCommands({ inCluster }: Keyspace, names: number): number {
  return inCluster ? names : Math.min(names, 1) * GLANCE_COMMANDS
}

/**
 * Glances at the locks of at most {@link AT_ONCE} names, with two commands, or in a cluster, where their keys lie on many servers, with one for
 * each; those that take a closer look have no answer.
 */
export async function glanceAt(
  keyspace: Keyspace,
  names: readonly string[],
): Promise<ReadonlyMap<string, Glance>> {
  if (names.length === 0) return new Map()
  if (keyspace.inCluster) {
    const found = await Promise.all(names.map((name) => glanceInCluster(keyspace, name)))
    return new Map(found.flat())
  }
  const keys = names.flatMap((name) => keysOf(keyspace, name))
  const [reply, listeners] = await Promise.all([
    keyspace.ask('EVAL', SCRIPT, keys.length, ...keys).catch(unlessRefused),
    listenersOf(keyspace, names),
  ])
  const [time, ...answers]: unknown[] = Array.isArray(reply) ? reply : []
  const found = new Map<string, Glance>()
  for (const [index, name] of names.entries()) {
    const answer = answers[index]
    if (Array.isArray(answer)) found.set(name, glanceOf(name, answer, time, listeners?.get(name)))
  }
  return found
}

async function glanceInCluster(
  keyspace: Keyspace,
  name: string,
): Promise<ReadonlyArray<readonly [string, Glance]>> {
  const keys = keysOf(keyspace, name)
  const asked = [...keys, ...channelsOf(keyspace, name)]
  const reply = await keyspace.ask('EVAL', SCRIPT, keys.length, ...asked).catch(unlessRefused)
  const [time, answer, counts]: unknown[] = Array.isArray(reply) ? reply : []
  if (!Array.isArray(answer)) return []
  const [, release, , roster] = texts(counts).map(Number)
  const outside = release === undefined || roster === undefined ? undefined : release - roster
  return [[name, glanceOf(name, answer, time, outside)]]
}

/** Those who wait listen to the first; those of them who stand in line to the second too. */
function channelsOf(keyspace: Keyspace, name: string): readonly [string, string] {
  const release = redissonNameOf('redisson_lock__channel', keyspace.keyOf(name))
  return [release, companionOf('holdfast:line', release)]
}

function keysOf(keyspace: Keyspace, name: string): readonly string[] {
  const key = keyspace.keyOf(name)
  const [holds, line, , , leases] = readWriteKeysOf(key)
  const own = [key, tokenCounterOf(key, keyspace.inCluster), lineOf(key), processesOf(key)]
  return [...own, holds, line, leases, permitsKeyOf(key)]
}

/** How many listen for releases of each and stand in no line; undefined if the user may not ask. */
async function listenersOf(
  keyspace: Keyspace,
  names: readonly string[],
): Promise<ReadonlyMap<string, number> | undefined> {
  const channels = names.flatMap((name) => channelsOf(keyspace, name))
  const reply = await keyspace.askIfAllowed('PUBSUB', 'NUMSUB', ...channels)
  if (reply === undefined) return undefined
  const counts = texts(reply)
    .filter((_, index) => index % 2 === 1)
    .map(Number)
  return new Map(names.map((name, index) => [name, (counts[2 * index] ?? 0) - (counts[2 * index + 1] ?? 0)]))
}

function glanceOf(
  name: string,
  answer: readonly unknown[],
  time: unknown,
  outside: number | undefined,
): Glance {
  const [left, fields, token, places, processes, others] = answer
  const hash = pairs(texts(fields))
  const owners = holdersIn(hash)
  const line = waitersOf(places, processes, time)
  const inLine = pairs(texts(processes)).filter(([client]) => !client.startsWith(':')).length
  const fenced = typeof token === 'string'
  const remainingMs = left === -1 ? Infinity : Math.max(Number(left), 0)
  const there = owners.length > 0 || remainingMs > 0
  const view: LockView = {
    name,
    owners,
    remainingMs,
    kind: fenced ? 'fenced lock' : there || line.length > 0 ? 'lock' : undefined,
    ...(hash.some(([field, text]) => field === 'since' && text.includes(' lingers')) && { lingers: true }),
    ...(fenced && { fence: token }),
    ...(line.length > 0 && { line }),
    waitingClients: outside === undefined ? undefined : Math.max(0, outside) + inLine,
  }
  return { view, isOne: others === 0 }
}

/** As docs/wire-layout.md has it: a hash of owner -> holds, and of the time since when it is held. */
function holdersIn(fields: ReadonlyArray<readonly [string, string]>): readonly Holder[] {
  const [seconds = 0, microseconds = 0] = (fields.find(([field]) => field === 'since')?.[1] ?? '')
    .split(' ')
    .map(Number)
  const heldSince = seconds * 1_000 + Math.floor(microseconds / 1_000)
  return fields.flatMap(([owner, count]) => {
    const holds = Number(count)
    if (!isOwner(owner) || !Number.isSafeInteger(holds)) return []
    return [{ owner, holds, ...(heldSince > 0 && { heldSince }) }]
  })
}

/** A user who may not run it, or not on one of these keys, looks at each lock. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof StoreError && !error.transient) return undefined
  throw error
}
