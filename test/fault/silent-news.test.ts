import { describe, expect, test } from 'vitest'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { calls, named } from './proxied-command.js'
import { Scene } from './scene.js'

/** Who waits for the end of this was not woken. */
const LONG_LEASE_MS = 60_000
const SHORT_LEASE_MS = 2_500
const WOKEN_WITHIN_MS = 15_000

const CHANGE_HANDS = `
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], ARGV[1], 1)
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])`

describe.each([
  { where: 'ioredis 5', client: {}, open: () => Scene.standalone('ioredis-5') },
  { where: 'iovalkey', client: {}, open: () => Scene.standalone('iovalkey') },
  { where: 'ioredis 6, RESP2', client: { protocol: 2 }, open: () => Scene.standalone('ioredis-6') },
  { where: 'cluster, ioredis 6', client: {}, open: () => Scene.cluster('ioredis-6') },
  { where: 'cluster, ioredis 5', client: {}, open: () => Scene.cluster('ioredis-5') },
])('H14: the connection for news falls silent ($where)', ({ client, open }) => {
  const scene = duringEach(() => open())

  /** Nothing comes by the connections that are subscribed, and nobody is told. */
  function silenceNews(): void {
    const subscribed = scene.proxies
      .flatMap(({ connections }) => connections)
      .filter(({ commands }) => commands.some(({ name }) => /^S?SUBSCRIBE$/.test(name)))
    expect(subscribed).not.toHaveLength(0)
    for (const connection of subscribed) connection.silence()
  }

  /** The waiter has looked since it is subscribed. */
  async function untilAsleep(): Promise<void> {
    const subscribed = named('SUBSCRIBE')
    const sharded = named('SSUBSCRIBE')
    await eventually(() =>
      scene.proxies.some(({ commands }) => {
        const done = commands.filter(({ applied }) => applied)
        const from = done.findIndex((command) => subscribed(command) || sharded(command))
        return from >= 0 && done.slice(from).some(calls('acquire'))
      }),
    )
  }

  const connections = (): number =>
    scene.proxies.reduce((sum, { connections }) => sum + connections.length, 0)

  test('the first look finds it out: who waits for longer leases is woken in time', async () => {
    const [long, short] = [`{${scene.name}}:long`, `{${scene.name}}:short`]
    const direct = scene.holdfast({}, { proxied: false })
    const held = await direct.lock(long).acquire({ leaseMs: LONG_LEASE_MS })
    const heldShortly = await direct.lock(short).acquire({ leaseMs: SHORT_LEASE_MS })
    const waiter = scene.holdfast({ commandTimeoutMs: 500 }, { client })
    const waits = [waiter.lock(long).acquire(), waiter.lock(short).acquire()]
    for (const name of [long, short])
      await eventually(async () => (await direct.lock(name).countWaitingClients()) === 1)
    silenceNews()
    const startedAt = performance.now()
    await held.release()
    await heldShortly.release()
    for (const wait of waits) await (await wait).release()
    expect(performance.now() - startedAt).toBeLessThan(WOKEN_WITHIN_MS)
  }, 90_000)

  test('a lock that changed hands unheard: who waits on is woken by the next release', async () => {
    const direct = scene.holdfast({}, { proxied: false }).lock(scene.name)
    await direct.acquire({ leaseMs: SHORT_LEASE_MS })
    const waiting = scene.holdfast({ commandTimeoutMs: 500 }, { client }).lock(scene.name).acquire()
    await untilAsleep()
    silenceNews()
    const before = connections()
    // In one piece, as the waiter may look at any time and must not find the lock free.
    await scene.direct.eval(CHANGE_HANDS, 1, scene.name, 'another:1', LONG_LEASE_MS)
    // It looks when the lease it saw is over, and subscribes anew.
    await eventually(() => connections() > before)
    await eventually(async () => (await scene.channels()).length >= 1)
    const releasedAt = performance.now()
    expect(await direct.forceUnlock()).toBe(true)
    await (await waiting).release()
    expect(performance.now() - releasedAt).toBeLessThan(WOKEN_WITHIN_MS)
  }, 90_000)
})
