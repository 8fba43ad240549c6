import { Redis } from 'ioredis5'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import type { Holdfast, HoldfastOptions } from '../../src/index.js'
import { eventsOf } from '../fault/heard.js'
import { RespProxy } from '../fault/proxy.js'
import { clientIdOf } from '../fault/scene.js'
import { ask } from '../servers/admin.js'
import { clientLibraries, type MatrixLibrary, sentinelClient } from '../setup/clients.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { later } from '../setup/later.js'
import type { Endpoint } from '../wire/wire.js'
import { holdfasts, LEASE_MS, SLACK_MS } from './scenes.js'

const COMMAND_TIMEOUT_MS = 800

/** A Sentinel group with a proxy before each sentinel and before the primary, and clients that go through them. */
class SentinelStand {
  private constructor(
    readonly sentinels: readonly RespProxy[],
    readonly primary: RespProxy,
    readonly direct: Redis,
  ) {}

  static async before(group: Endpoint[]): Promise<SentinelStand> {
    const told = await ask(group[0], 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')
    const [host, port] = Array.isArray(told) ? told.map(String) : []
    const address = { host: host ?? '', port: Number(port) }
    const sentinels = await Promise.all(group.map((sentinel) => RespProxy.before(sentinel)))
    return new SentinelStand(sentinels, await RespProxy.before(address), new Redis(address))
  }

  holdfast(library: MatrixLibrary, options: HoldfastOptions = {}, client: object = {}): Holdfast {
    const wayTo = ({ host, port }: RespProxy): Endpoint => ({ host, port })
    const sentinels = this.sentinels.map(wayTo)
    // What sentinels say of each other would lead past the proxies.
    const natMap = Object.fromEntries(
      [this.primary, ...this.sentinels].map((it) => [`${it.target.host}:${it.target.port}`, wayTo(it)]),
    )
    const settings = { ...client, updateSentinels: false, natMap }
    return holdfastOn(sentinelClient({ sentinels, name: 'mymaster' }, library, settings), options)
  }

  async end(): Promise<void> {
    this.direct.disconnect()
    await Promise.all([...this.sentinels, this.primary].map((proxy) => proxy.stop()))
  }
}

const stand = duringEach(() => SentinelStand.before(inject('servers').sentinel.sentinels))
const holdfastOn = holdfasts()
let name: string
beforeEach(() => {
  name = `sentinels:${process.pid}:${Date.now()}`
})

/** Whether the waiter listens to releases and to what its process is told. */
async function listens(waiter: Holdfast): Promise<boolean> {
  const channels = [`redisson_lock__channel:{${name}}`, `holdfast:${clientIdOf(waiter)}`]
  const told = await stand.direct.call('PUBSUB', 'NUMSUB', ...channels)
  return Array.isArray(told) && told[1] === 1 && told[3] === 1
}

describe.each(clientLibraries)('sentinels (%s)', (library) => {
  test.each([
    { what: 'asks them again by itself', client: {} },
    { what: 'does not', client: { sentinelRetryStrategy: () => null } },
  ])(
    'H13: subscriptions are renewed though no sentinel knew the primary for a while; the application’s client $what',
    async ({ client }) => {
      const hold = await stand.holdfast(library).lock(name).acquire({ leaseMs: LEASE_MS })
      const waiter = stand.holdfast(library, {}, client)
      const waiting = waiter.lock(name).acquire()
      await eventually(() => listens(waiter))
      for (const sentinel of stand.sentinels) sentinel.refuse()
      stand.primary.breakAll()
      await eventually(() => stand.sentinels.every(({ refused }) => refused > 0))
      for (const sentinel of stand.sentinels) sentinel.heal()
      await eventually(() => listens(waiter))
      await hold.release()
      await (await waiting).release()
    },
  )

  test('H2: they hang, all of them: calls and close() end in time, and later calls succeed', async () => {
    for (const sentinel of stand.sentinels) sentinel.blackHole()
    const holdfast = stand.holdfast(library, { commandTimeoutMs: COMMAND_TIMEOUT_MS })
    const startedAt = performance.now()
    const failure = { code: 'STORE_ERROR', transient: true }
    await expect(holdfast.lock(name).tryAcquire()).rejects.toMatchObject(failure)
    expect(performance.now() - startedAt).toBeLessThan(COMMAND_TIMEOUT_MS + SLACK_MS)
    const asked = later(expect(holdfast.lock(name).isLocked()).rejects.toMatchObject(failure))
    const other = stand.holdfast(library, { commandTimeoutMs: COMMAND_TIMEOUT_MS })
    const cutShort = later(expect(other.lock(name).isLocked()).rejects.toMatchObject({ code: 'CLOSED' }))
    const closedAt = performance.now()
    await other.close()
    await cutShort
    expect(performance.now() - closedAt).toBeLessThan(COMMAND_TIMEOUT_MS + SLACK_MS)
    await asked
    for (const sentinel of stand.sentinels) sentinel.heal()
    await (await holdfast.lock(name).acquire({ waitMs: 10_000 })).release()
  })

  test('H2: they hang while a lock is held and the connection breaks: it is kept when one of them is back', async () => {
    const holdfast = stand.holdfast(library, { commandTimeoutMs: COMMAND_TIMEOUT_MS, watchdogMs: 9_000 })
    const lost = eventsOf(holdfast, ['lost'])
    const hold = await holdfast.lock(name).acquire()
    for (const sentinel of stand.sentinels) sentinel.blackHole()
    const suspended = new Promise((resolve) => holdfast.once('suspended', resolve))
    stand.primary.breakAll()
    await suspended
    stand.sentinels[1]?.heal()
    await new Promise((resolve) => holdfast.once('renewed', resolve))
    expect(lost).toEqual([])
    await hold.release()
  })
})

test.each([...clientLibraries, 'node-redis-6' as const])(
  'faults E6, H2: a sentinel hangs and a connection is cut: the next is asked in time, and a lock with a short lease is kept (%s)',
  async (library) => {
    // A client that waits for the silent sentinel until a command times out (3 s) renews too late: the first renewal has 2.8 s.
    const holdfast = stand.holdfast(library, { watchdogMs: 4_200, storeTimeoutMs: 30_000 })
    const heard = eventsOf(holdfast, ['renewed', 'lost'])
    const hold = await holdfast.lock(name).acquire()
    stand.sentinels[0]?.blackHole()
    stand.primary.breakAll()
    await eventually(() => heard.length >= 2 || heard.includes('lost'))
    expect(new Set(heard)).toEqual(new Set(['renewed']))
    await hold.release()
  },
)

test('faults E6: four of five sentinels hang: the fifth is asked within the time for one command', async () => {
  const { sentinels } = inject('servers').sentinel
  const crowd = await SentinelStand.before([...sentinels, ...sentinels].slice(0, 5))
  for (const sentinel of crowd.sentinels.slice(0, 4)) sentinel.blackHole()
  const startedAt = performance.now()
  const hold = await crowd.holdfast('node-redis-6').lock(name).acquire()
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  await hold.release()
  await crowd.end()
})
