/** Two applications on one server, each with a user who may do what docs/wire-layout.md says, and no more: the lines come from that page. */
import { Redis } from 'ioredis5'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { bringServer, type Server } from '../servers/index.js'
import { standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { commands, type Held, linesOf, rows, uses } from './allowed.js'

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
