/** Two applications on one server, each with a user who may do what docs/wire-layout.md says, and no more: the lines come from that page. */
import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis5'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Hold, Holdfast, type MultiHold } from '../../src/index.js'
import { bringServer, type Server } from '../servers/index.js'
import { standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'

const PAGE = new URL('../../docs/wire-layout.md', import.meta.url)

/** The section as it is written: the lines of each kind, and the commands. */
function documented(): { readonly rows: ReadonlyMap<string, string[]>; readonly commands: string[] } {
  const [, section = ''] = readFileSync(PAGE, 'utf8').split('## What a user must be allowed\n')
  const [text = ''] = section.split('\nA user who lacks')
  const rows = new Map<string, string[]>()
  for (const line of text.split('\n').filter((each) => each.startsWith('| ') && !each.startsWith('| kind')))
    rows.set(
      line.split(' | ')[0]?.slice(2) ?? '',
      [...line.matchAll(/`([~&][^`]*)`/g)].map(([, each = '']) => each),
    )
  const [, block = ''] = /```text\n([\s\S]*?)```/.exec(text) ?? []
  return { rows, commands: block.split(/\s+/).filter((word) => word.startsWith('+')) }
}

const { rows, commands } = documented()

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

let server: Server
let admin: Redis
const opened: Holdfast[] = []

beforeAll(async () => {
  server = await bringServer({ flavour: inject('servers').flavour })
  admin = new Redis({ host: server.host, port: server.port })
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((holdfast) => holdfast.close()))
  await admin.flushall()
})
afterAll(async () => {
  admin.disconnect()
  await server.stop()
})

/** A user with these lines, for another application if one is named. */
async function allow(app: string, lines: readonly string[]): Promise<void> {
  const theirs = lines.map((line) => line.replace(/app/g, app))
  await admin.call('ACL', 'SETUSER', app, 'reset', 'on', '>secret', ...theirs, ...commands)
}

function open(app: string, errors: unknown[] = [], keyPrefix = `${app}:`): Holdfast {
  const { host, port } = server
  const client = standaloneClient({ host, port, username: app, password: 'secret', keyPrefix })
  const holdfast = new Holdfast(client, { label: `${app}.${opened.length}` })
  holdfast.on('error', (error) => errors.push(error))
  opened.push(holdfast)
  return holdfast
}

describe('faults A4: what a user must be allowed', () => {
  test.each(uses)('$kind: its lines are enough', async ({ needs = [], run }) => {
    await allow('app', needs.flatMap(linesOf))
    const errors: unknown[] = []
    const hold = await run(open('app', errors), open('app', errors))
    await hold?.release()
    expect(errors).toEqual([])
  })

  test('a neighbour with the same lines for its own prefix can neither change nor read anything', async () => {
    const all = [...rows.values()].flat()
    await allow('app', all)
    await allow('b', all)
    const errors: unknown[] = []
    const [one, other] = [open('app', errors), open('app', errors)]
    const holds: Held[] = []
    for (const { run } of uses) {
      const hold = await run(one, other)
      if (hold) holds.push(hold)
    }
    const left = new AbortController()
    const waits = [
      other.lock('a lock'),
      other.fairLock('a fairLock'),
      other.readWriteLock('a writeLock').readLock(),
    ].map((lock) => lock.acquire({ signal: left.signal }).catch(() => undefined))
    await eventually(async () => (await other.lock('a lock').countWaitingClients()) === 1)

    const keys = await admin.keys('*')
    const told = await admin.call('PUBSUB', 'CHANNELS', '*')
    const channels = Array.isArray(told) ? told.map(String) : []
    expect(keys.length).toBeGreaterThan(25)
    expect(channels.length).toBeGreaterThan(3)
    const b = new Redis({ host: server.host, port: server.port, username: 'b', password: 'secret' })
    b.on('error', () => undefined)
    const done: string[] = []
    const tries = async (...words: readonly string[]): Promise<void> => {
      const [command = '', ...args] = words
      const answer = await b.call(command, ...args).catch((error: unknown) => String(error))
      if (!/NOPERM|can't (?:run this|access|publish)|command not allowed/.test(String(answer)))
        done.push(`${words.join(' ')} -> ${String(answer)}`)
    }
    for (const key of keys) {
      for (const command of ['DEL', 'GET', 'INCR', 'HGETALL', 'PERSIST', 'PTTL', 'ZCARD'])
        await tries(command, key)
      await tries('SET', key, 'x')
      await tries('PEXPIRE', key, '1')
      await tries('HSET', key, 'b:1', '1')
      await tries('ZADD', key, '1', 'x')
      await tries('EVAL', "return redis.call('DEL', KEYS[1])", '1', key)
      await tries('EVAL', "return redis.call('DEL', ARGV[1])", '0', key)
      await tries('RENAME', key, 'b:x')
      await tries('COPY', key, 'b:x')
    }
    for (const channel of channels) {
      for (const command of ['PUBLISH', 'SPUBLISH']) await tries(command, channel, '0')
      await tries('EVAL', "return redis.call('PUBLISH', ARGV[1], '0')", '0', channel)
      await tries('SUBSCRIBE', channel)
    }
    for (const words of [
      'FLUSHALL',
      'FLUSHDB',
      'SWAPDB 0 1',
      'KEYS *',
      'CLIENT LIST',
      'CLIENT KILL TYPE normal',
      'CLIENT PAUSE 1',
      'CONFIG GET *',
      'CONFIG SET maxmemory 1',
      'SCRIPT FLUSH',
      'SCRIPT KILL',
      'FUNCTION FLUSH',
      'ACL SETUSER b ~*',
      'MONITOR',
      'PSUBSCRIBE *',
      'DEBUG SLEEP 0',
      'REPLICAOF NO ONE',
    ])
      await tries(...words.split(' '))
    expect(done).toEqual([])
    b.disconnect()

    // By way of Holdfast, under the other's names.
    const thief = open('b', [], '')
    const refused = { code: 'STORE_ERROR', reason: 'permission' }
    await expect(thief.lock('app:a lock').forceUnlock()).rejects.toMatchObject(refused)
    await expect(thief.lock('app:a lock').tryAcquire()).rejects.toMatchObject(refused)
    await expect(thief.readWriteLock('app:a writeLock').writeLock().forceUnlock()).rejects.toMatchObject(
      refused,
    )
    await expect(thief.semaphore('app:a semaphore').addPermits(1)).rejects.toMatchObject(refused)
    await expect(thief.countDownLatch('app:a latch').countDown()).rejects.toMatchObject(refused)
    await expect(thief.guardedValue('app:a guarded value').set('forged', 9n)).rejects.toMatchObject(refused)
    await expect(thief.computeOnce('app:a value', () => 'forged', { ttlMs: 1_000 })).rejects.toMatchObject(
      refused,
    )

    for (const hold of holds) hold.assertHeld()
    left.abort()
    await Promise.all(waits)
    await Promise.all(holds.map((hold) => hold.release()))
    expect(errors).toEqual([])
  })
})
