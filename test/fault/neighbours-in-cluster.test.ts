/** Two applications on one Cluster, each with a user who may do what docs/wire-layout.md says, and no more: the lines come from that page. */
import { Cluster } from 'ioredis5'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { withAdmin } from '../servers/admin.js'
import { bringCluster } from '../servers/index.js'
import { clusterClient } from '../setup/clients.js'
import { commands, type Held, inCluster, linesOf, rows, uses } from './allowed.js'

let cluster: Awaited<ReturnType<typeof bringCluster>>
const opened: Holdfast[] = []

beforeAll(async () => {
  cluster = await bringCluster({ flavour: inject('servers').flavour })
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((holdfast) => holdfast.close()))
})
afterAll(() => cluster.stop())

const places = (): { host: string; port: number }[] => cluster.nodes.map(({ host, port }) => ({ host, port }))

async function everywhere(command: string, ...words: string[]): Promise<readonly unknown[]> {
  return await Promise.all(cluster.nodes.map((node) => withAdmin(node, (send) => send(command, ...words))))
}

/** A user with these lines, for another application if one is named. */
async function allow(app: string, lines: readonly string[]): Promise<void> {
  const theirs = lines.map((line) =>
    (line.startsWith('&holdfast:????????') ? inCluster.channel : line).replace(/app/g, app),
  )
  await everywhere(
    'ACL',
    'SETUSER',
    app,
    'reset',
    'on',
    '>secret',
    ...theirs,
    ...commands,
    ...inCluster.commands,
  )
}

function open(app: string, errors: unknown[] = [], keyPrefix = `${app}:`): Holdfast {
  const client = clusterClient(places(), { keyPrefix, redisOptions: { username: app, password: 'secret' } })
  const holdfast = new Holdfast(client, { label: `${app}.${opened.length}` })
  holdfast.on('error', (error) => errors.push(error))
  opened.push(holdfast)
  return holdfast
}

describe('faults A4: what a user must be allowed in a Cluster', () => {
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
    const waiting = other.lock('a lock').acquire({ signal: left.signal })
    const waits = waiting.catch(() => undefined)
    await new Promise((resolve) => other.once('waiting', resolve))
    const keys = (await everywhere('KEYS', '*')).flat().map(String)
    const channels = [
      ...(await everywhere('PUBSUB', 'CHANNELS', '*')),
      ...(await everywhere('PUBSUB', 'SHARDCHANNELS', '*')),
    ]
      .flat()
      .map(String)
    expect(keys.length).toBeGreaterThan(20)
    expect(channels.length).toBeGreaterThan(1)
    const b = new Cluster(places(), { redisOptions: { username: 'b', password: 'secret' } })
    b.on('error', () => undefined)
    const done: string[] = []
    const tries = async (command: string, ...args: readonly string[]): Promise<void> => {
      const answer = await b.call(command, ...args).catch((error: unknown) => String(error))
      if (!/NOPERM|can't (?:run this|access|publish)|command not allowed/.test(String(answer)))
        done.push(`${command} ${args.join(' ')} -> ${String(answer)}`)
    }
    for (const key of new Set(keys)) {
      for (const command of ['DEL', 'GET', 'INCR', 'HGETALL', 'PERSIST', 'ZCARD']) await tries(command, key)
      await tries('SET', key, 'x')
      await tries('HSET', key, 'b:1', '1')
      await tries('ZADD', key, '1', 'x')
      await tries('EVAL', "return redis.call('DEL', KEYS[1])", '1', key)
    }
    for (const channel of new Set(channels)) {
      for (const command of ['PUBLISH', 'SPUBLISH']) await tries(command, channel, '0')
      await tries('EVAL', "return redis.call('SPUBLISH', KEYS[1], '0')", '1', channel)
    }
    for (const command of ['FLUSHALL', 'CLUSTER RESET', 'CLUSTER FAILOVER', 'CLIENT LIST', 'CONFIG GET *'])
      await tries(command.split(' ')[0] ?? '', ...command.split(' ').slice(1))
    expect(done).toEqual([])
    b.disconnect()

    // By way of Holdfast, under the other's names.
    const thief = open('b', [], '')
    const refused = { code: 'STORE_ERROR', reason: 'permission' }
    await expect(thief.lock('app:a lock').forceUnlock()).rejects.toMatchObject(refused)
    await expect(thief.lock('app:a lock').tryAcquire()).rejects.toMatchObject(refused)
    await expect(thief.semaphore('app:a semaphore').addPermits(1)).rejects.toMatchObject(refused)
    for (const hold of holds) hold.assertHeld()
    left.abort()
    await waits
    await Promise.all(holds.map((hold) => hold.release()))
    expect(errors).toEqual([])
  })
})
