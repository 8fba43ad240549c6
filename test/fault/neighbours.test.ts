/** Two applications on one server or one Cluster, each with a user who may do what docs/wire-layout.md says, and no more: the lines come from that page. */
import { readFileSync } from 'node:fs'
import { Cluster, Redis } from 'ioredis5'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Hold, Holdfast, type MultiHold, type RedisClient } from '../../src/index.js'
import { withAdmin } from '../servers/admin.js'
import { bringCluster, bringServer } from '../servers/index.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'

const PAGE = new URL('../../docs/wire-layout.md', import.meta.url)

/** The section as it is written: the lines of each kind, and the commands. */
function documented(): {
  readonly rows: ReadonlyMap<string, string[]>
  readonly commands: string[]
  /** What is otherwise there: the channel of a process, and commands beside the others. */
  readonly inCluster: { readonly channel: string; readonly commands: string[] }
} {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('## What a user must be allowed\n')
  const [text = ''] = section.split('\nA user who lacks')
  const rows = new Map<string, string[]>()
  for (const line of text.split('\n').filter((each) => each.startsWith('| ') && !each.startsWith('| kind')))
    rows.set(
      line.split(' | ')[0]?.slice(2) ?? '',
      [...line.matchAll(/`([~&][^`]*)`/g)].map(([, each = '']) => each),
    )
  const [, block = ''] = /```text\n([\s\S]*?)```/.exec(text) ?? []
  const [, channel = ''] = /In a Cluster the channel of a process is `([^`]*)`/.exec(text) ?? []
  const [, also = ''] = /In a Cluster also `([^`]*)`/.exec(section) ?? []
  const commandsIn = (words: string): string[] => words.split(/\s+/).filter((word) => word.startsWith('+'))
  return { rows, commands: commandsIn(block), inCluster: { channel, commands: commandsIn(also) } }
}

const { rows, commands, inCluster } = documented()

function linesOf(kind: string): readonly string[] {
  const own = [...rows].find(([title]) => title.includes(kind))?.[1]
  if (!own) throw new Error(`no row for ${kind}`)
  return own
}

type Held = Hold | MultiHold

interface Use {
  readonly kind: string
  /** The rows that it needs. */
  readonly needs?: readonly string[]
  /** Does all there is to do with the kind, as two clients of one application; leaves it taken, if asked to. */
  run(one: Holdfast, other: Holdfast): Promise<Held | undefined>
}

/** Two clients take turns, and the first takes it again. */
async function turns(
  take: (holdfast: Holdfast) => Promise<Hold>,
  one: Holdfast,
  other: Holdfast,
): Promise<Hold> {
  const first = await take(one)
  const waiting = take(other)
  await new Promise((resolve) => other.once('waiting', resolve))
  await first.release()
  await (await waiting).release()
  return await take(one)
}

const uses: readonly Use[] = [
  ...(['lock', 'fencedLock', 'fairLock'] as const).map((kind) => ({
    kind,
    needs: ['lock, fenced'],
    run: (one: Holdfast, other: Holdfast) =>
      turns((each) => each[kind](`a ${kind}`).acquire({ waitMs: 9_000 }), one, other),
  })),
  {
    kind: 'spinLock',
    needs: ['spin lock'],
    run: (one, other) => turns((each) => each.spinLock('a spin lock').acquire({ waitMs: 9_000 }), one, other),
  },
  {
    kind: 'multiLock, stripedLock and job',
    needs: ['lock, fenced'],
    run: async (one) => {
      await one.job('a job', { atLeastMs: 0, atMostMs: 9_000 }, () => 1)
      await one
        .stripedLock('stripes', 4)
        .stripe(1)
        .withLock(() => undefined)
      return await one.multiLock([one.lock('multi:1'), one.lock('multi:2')]).acquire()
    },
  },
  ...(['readLock', 'writeLock'] as const).map((side) => ({
    kind: side,
    needs: ['read-write lock'],
    run: async (one: Holdfast, other: Holdfast) => {
      await turns(
        (each) => each.readWriteLock(`a ${side}`).writeLock().acquire({ waitMs: 9_000 }),
        one,
        other,
      ).then((hold) => hold.release())
      return await one.readWriteLock(`a ${side}`)[side]().acquire()
    },
  })),
  ...(['semaphore', 'permitExpirableSemaphore'] as const).map((kind) => ({
    kind,
    needs: [kind === 'semaphore' ? 'semaphore' : 'permit-expirable'],
    run: async (one: Holdfast, other: Holdfast) => {
      await one[kind](`a ${kind}`).trySetPermits(1)
      await one[kind](`a ${kind}`).addPermits(1)
      await one[kind](`a ${kind}`).reducePermits(1)
      return await turns((each) => each[kind](`a ${kind}`).acquire({ waitMs: 9_000 }), one, other)
    },
  })),
  {
    kind: 'countDownLatch',
    needs: ['latch'],
    run: async (one, other) => {
      await one.countDownLatch('a latch').trySetCount(1)
      const opened = other.countDownLatch('a latch').await({ waitMs: 9_000 })
      await one.countDownLatch('a latch').countDown()
      await opened
      await one.countDownLatch('a latch').trySetCount(1)
      return undefined
    },
  },
  {
    kind: 'computeOnce',
    needs: ['lock, fenced', 'computeOnce'],
    run: async (one, other) => {
      const compute = (each: Holdfast): Promise<number> =>
        each.computeOnce('a value', () => 1, { ttlMs: 60_000 })
      expect(await Promise.all([compute(one), compute(other)])).toEqual([1, 1])
      return undefined
    },
  },
  {
    kind: 'guardedValue',
    needs: ['guarded value'],
    run: async (one) => {
      await one.guardedValue('a guarded value').set('x', 1n)
      expect(await one.guardedValue('a guarded value').get()).toEqual({ value: 'x', fence: 1n })
      return undefined
    },
  },
]

interface Endpoint {
  readonly host: string
  readonly port: number
}

interface Ground {
  readonly nodes: readonly Endpoint[]
  /** The lines as they are here, and the commands beside the others. */
  readonly line: (line: string) => string
  readonly also: readonly string[]
  /** A client of Holdfast, and a bare one. */
  client(username: string, keyPrefix: string): RedisClient
  bare(username: string): Redis | Cluster
  stop(): Promise<void>
}

const { flavour } = inject('servers')
const password = 'secret'

const grounds: Readonly<Record<string, () => Promise<Ground>>> = {
  'one server': async () => {
    const server = await bringServer({ flavour })
    const { host, port } = server
    return {
      nodes: [server],
      line: (line) => line,
      also: [],
      client: (username, keyPrefix) => standaloneClient({ host, port, username, password, keyPrefix }),
      bare: (username) => new Redis({ host, port, username, password }),
      stop: () => server.stop(),
    }
  },
  'a Cluster': async () => {
    const cluster = await bringCluster({ flavour })
    const nodes = cluster.nodes.map(({ host, port }) => ({ host, port }))
    return {
      nodes,
      line: (line) => (line.startsWith('&holdfast:????????') ? inCluster.channel : line),
      also: inCluster.commands,
      client: (username, keyPrefix) =>
        clusterClient(nodes, { keyPrefix, redisOptions: { username, password } }),
      bare: (username) => new Cluster(nodes, { redisOptions: { username, password } }),
      stop: () => cluster.stop(),
    }
  },
}

/** What a neighbour tries with each key, and with each channel. */
const onKeys = (key: string): readonly (readonly string[])[] => [
  ...['DEL', 'GET', 'INCR', 'HGETALL', 'PERSIST', 'PTTL', 'ZCARD'].map((command) => [command, key]),
  ['SET', key, 'x'],
  ['PEXPIRE', key, '1'],
  ['HSET', key, 'b:1', '1'],
  ['ZADD', key, '1', 'x'],
  ['EVAL', "return redis.call('DEL', KEYS[1])", '1', key],
]
const onKeysOfOneServer = (key: string): readonly (readonly string[])[] => [
  ['EVAL', "return redis.call('DEL', ARGV[1])", '0', key],
  ['RENAME', key, 'b:x'],
  ['COPY', key, 'b:x'],
]
const onChannels = (channel: string): readonly (readonly string[])[] => [
  ['PUBLISH', channel, '0'],
  ['SPUBLISH', channel, '0'],
  ['EVAL', "return redis.call('SPUBLISH', KEYS[1], '0')", '1', channel],
]
const onChannelsOfOneServer = (channel: string): readonly (readonly string[])[] => [
  ['EVAL', "return redis.call('PUBLISH', ARGV[1], '0')", '0', channel],
  ['SUBSCRIBE', channel],
]
const anyway = 'FLUSHALL|CLIENT LIST|CONFIG GET *|CLUSTER RESET|CLUSTER FAILOVER'
const anywayOnOneServer =
  'FLUSHDB|SWAPDB 0 1|KEYS *|CLIENT KILL TYPE normal|CLIENT PAUSE 1|CONFIG SET maxmemory 1|SCRIPT FLUSH|' +
  'SCRIPT KILL|FUNCTION FLUSH|ACL SETUSER b ~*|MONITOR|PSUBSCRIBE *|DEBUG SLEEP 0|REPLICAOF NO ONE'

describe.each(Object.keys(grounds))('faults A4: what a user must be allowed on %s', (where) => {
  let ground: Ground
  const opened: Holdfast[] = []
  const errors: unknown[] = []

  beforeAll(async () => {
    const bring = grounds[where]
    if (!bring) throw new Error(where)
    ground = await bring()
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((holdfast) => holdfast.close()))
    await everywhere('FLUSHALL')
    errors.length = 0
  })
  afterAll(() => ground.stop())

  async function everywhere(command: string, ...words: string[]): Promise<readonly unknown[]> {
    return await Promise.all(ground.nodes.map((node) => withAdmin(node, (send) => send(command, ...words))))
  }

  /** A user with these lines, for another application if one is named. */
  async function allow(app: string, lines: readonly string[]): Promise<void> {
    const theirs = lines.map((line) => ground.line(line).replace(/app/g, app))
    await everywhere('ACL', 'SETUSER', app, 'reset', 'on', '>secret', ...theirs, ...commands, ...ground.also)
  }

  function open(app: string, keyPrefix = `${app}:`): Holdfast {
    const holdfast = new Holdfast(ground.client(app, keyPrefix), { label: `${app}.${opened.length}` })
    holdfast.on('error', (error) => errors.push(error))
    opened.push(holdfast)
    return holdfast
  }

  /** What of all this the user `b` may do. */
  async function doneByNeighbour(keys: readonly string[], channels: readonly string[]): Promise<string[]> {
    const b = ground.bare('b')
    b.on('error', () => undefined)
    const alone = ground.nodes.length === 1
    const done: string[] = []
    const attempts = [
      ...keys.flatMap((key) => [...onKeys(key), ...(alone ? onKeysOfOneServer(key) : [])]),
      ...channels.flatMap((each) => [...onChannels(each), ...(alone ? onChannelsOfOneServer(each) : [])]),
      ...(alone ? `${anyway}|${anywayOnOneServer}` : anyway).split('|').map((words) => words.split(' ')),
    ]
    for (const [command = '', ...args] of attempts) {
      const answer = await b.call(command, ...args).catch((error: unknown) => String(error))
      if (!/NOPERM|can't (?:run this|access|publish)|command not allowed/.test(String(answer)))
        done.push(`${command} ${args.join(' ')} -> ${String(answer)}`)
    }
    b.disconnect()
    return done
  }

  test.each(uses)('$kind: its lines are enough', async ({ needs = [], run }) => {
    await allow('app', needs.flatMap(linesOf))
    await (await run(open('app'), open('app')))?.release()
    expect(errors).toEqual([])
  })

  test('a neighbour with the same lines for its own prefix can neither change nor read anything', async () => {
    const all = [...rows.values()].flat()
    await allow('app', all)
    await allow('b', all)
    const [one, other] = [open('app'), open('app')]
    const holds: Held[] = []
    for (const { run } of uses) {
      const hold = await run(one, other)
      if (hold) holds.push(hold)
    }
    const left = new AbortController()
    const asleep = new Promise((resolve) => other.once('waiting', resolve))
    const waits = [
      other.lock('a lock'),
      other.fairLock('a fairLock'),
      other.readWriteLock('a writeLock').readLock(),
    ].map((lock) => lock.acquire({ signal: left.signal }).catch(() => undefined))
    await asleep
    const keys = new Set((await everywhere('KEYS', '*')).flat().map(String))
    const told = ['CHANNELS', 'SHARDCHANNELS'].map((kind) => everywhere('PUBSUB', kind, '*'))
    const channels = new Set((await Promise.all(told)).flat(2).map(String))
    expect(keys.size).toBeGreaterThan(20)
    expect(channels.size).toBeGreaterThan(1)
    expect(await doneByNeighbour([...keys], [...channels])).toEqual([])

    // By way of Holdfast, under the other's names.
    const thief = open('b', '')
    const thefts = [
      () => thief.lock('app:a lock').forceUnlock(),
      () => thief.lock('app:a lock').tryAcquire(),
      () => thief.readWriteLock('app:a writeLock').writeLock().forceUnlock(),
      () => thief.semaphore('app:a semaphore').addPermits(1),
      () => thief.countDownLatch('app:a latch').countDown(),
      () => thief.guardedValue('app:a guarded value').set('forged', 9n),
      () => thief.computeOnce('app:a value', () => 'forged', { ttlMs: 1_000 }),
    ]
    for (const theft of thefts)
      await expect(theft()).rejects.toMatchObject({ code: 'STORE_ERROR', reason: 'permission' })

    for (const hold of holds) hold.assertHeld()
    left.abort()
    await Promise.all(waits)
    await Promise.all(holds.map((hold) => hold.release()))
    expect(errors).toEqual([])
  })
})
