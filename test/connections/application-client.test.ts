import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { Holdfast, type StandaloneClient } from '../../src/index.js'
import { eventsOf } from '../fault/heard.js'
import { named } from '../fault/proxied-command.js'
import { Scene } from '../fault/scene.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { tlsBefore } from '../wire/tls.js'

describe.each(['ioredis-6', 'ioredis-5', 'iovalkey'] as const)(
  "C1: the application's client (%s)",
  (library) => {
    let scene: Scene
    let application: StandaloneClient
    let holdfast: Holdfast

    beforeEach(async () => {
      scene = await Scene.standalone(library)
      application = standaloneClient({ host: scene.proxy.host, port: scene.proxy.port }, library)
      holdfast = new Holdfast(application, { watchdogMs: lasting(900) })
    })

    afterEach(async () => {
      await holdfast.close()
      application.disconnect()
      await scene.end()
    })

    /** Holds for two renewals, with a waiter behind it that gets the lock at the release. */
    async function holdAndHandOver(): Promise<void> {
      const heard = eventsOf(holdfast, ['renewed', 'suspended', 'lost'])
      const hold = await holdfast.lock(scene.name).acquire()
      const waiting = holdfast.lock(scene.name).acquire()
      await eventually(() => heard.length >= 2)
      await hold.release()
      await (await waiting).release()
      expect(new Set(heard)).toEqual(new Set(['renewed']))
      await scene.nothingLeft()
    }

    test('ioredis: that waits in BLPOP delays nothing, and goes on waiting', async () => {
      const list = `${scene.name}:list`
      const popped = application.call('BLPOP', list, 0)
      await eventually(() => scene.proxy.commands.some(named('BLPOP')))
      await holdAndHandOver()
      await scene.direct.lpush(list, 'value')
      expect(await popped).toEqual([list, 'value'])
    })

    test('that is closed takes nothing with it', async () => {
      await application.call('PING')
      const hold = await holdfast.lock(scene.name).acquire()
      application.disconnect()
      const renewed = new Promise((resolve) => holdfast.once('renewed', resolve))
      await renewed
      await hold.release()
      await scene.nothingLeft()
    })
  },
)

describe.each(['ioredis-6', 'ioredis-5', 'iovalkey'] as const)(
  'C1: settings that are honoured (%s)',
  (library) => {
    const scene = duringEach(() => Scene.standalone(library))

    test('node-redlock#107, #195, sesamecare PR#10: keyPrefix and db: the key is there and nowhere else, and a release wakes', async () => {
      const client = { keyPrefix: 'app:', db: 3 }
      const hold = await scene.holdfast({}, { client }).lock(scene.name).acquire()
      const waiter = scene.holdfast({}, { client })
      const waiting = waiter.lock(scene.name).acquire()
      // Another prefix, or another database, is another lock.
      await (
        await scene
          .holdfast({}, { client: { db: 3 } })
          .lock(scene.name)
          .acquire()
      ).release()
      await (
        await scene
          .holdfast({}, { client: { keyPrefix: 'app:' } })
          .lock(scene.name)
          .acquire()
      ).release()
      const there = scene.direct.duplicate()
      await there.call('SELECT', 3)
      expect(await there.call('HGETALL', `app:${scene.name}`)).toEqual([
        hold.owner,
        '1',
        'since',
        expect.any(String),
      ])
      const names: string[] = []
      for await (const { name } of waiter.list(`${scene.name}*`)) names.push(name)
      expect(names).toEqual([scene.name])
      await eventually(async () => (await waiter.lock(scene.name).countWaitingClients()) === 1)
      expect(await scene.releaseChannels()).toEqual([`redisson_lock__channel:{app:${scene.name}}`])
      for (const channel of await scene.channels()) expect(channel).toContain(`{app:${scene.name}}`)
      const passed = scene.proxy.tally()
      await hold.release()
      const next = await waiting
      // It was told: it has not looked.
      expect(passed.labels).not.toContain('acquire')
      await next.release()
      expect(await there.call('EXISTS', `app:${scene.name}`)).toBe(0)
      there.disconnect()
      await scene.nothingLeft()
    })

    test('user and password; every connection says whose it is', async () => {
      const user = scene.name.replaceAll(':', '-')
      await scene.direct.call('ACL', 'SETUSER', user, 'on', '>secret', '~*', '&*', '+@all')
      const client = { username: user, password: 'secret', connectionName: 'application' }
      const hold = await scene.holdfast({}, { client }).lock(scene.name).acquire()
      const waiting = scene.holdfast({}, { client }).lock(scene.name).acquire()
      await eventually(async () => (await scene.channels()).length > 0)
      const clients = String(await scene.direct.call('CLIENT', 'LIST')).split('\n')
      const ours = clients.filter((line) => line.includes(` user=${user} `))
      expect(ours.length).toBeGreaterThanOrEqual(2)
      for (const line of ours) expect(line).toMatch(/ name=holdfast-(commands|news) /)
      await hold.release()
      await (await waiting).release()
      await scene.nothingLeft()
      await scene.direct.call('ACL', 'DELUSER', user)
    })

    test('TLS, with the certificate it trusts', async () => {
      const { wire: front, ca } = await tlsBefore(inject('servers').standalone)
      const trusting = { port: front.port, tls: { ca } }
      const holdfast = (tls: object): Holdfast =>
        new Holdfast(standaloneClient({ host: '127.0.0.1', port: front.port, tls }, library), {
          storeTimeoutMs: 300,
        })
      const holder = holdfast(trusting.tls)
      const waiter = holdfast(trusting.tls)
      const stranger = holdfast({})
      const hold = await holder.lock(scene.name).acquire()
      const waiting = waiter.lock(scene.name).acquire()
      await eventually(async () => (await scene.channels()).length > 0)
      await hold.release()
      await (await waiting).release()
      expect(front.connections.length).toBeGreaterThanOrEqual(2)
      await expect(stranger.lock(scene.name).acquire()).rejects.toMatchObject({ reason: 'unreachable' })
      await scene.nothingLeft()
      await Promise.all([holder.close(), waiter.close(), stranger.close()])
      await front.stop()
    })
  },
)

test.each(['ioredis-6', 'ioredis-5', 'iovalkey', 'node-redis-6'] as const)(
  'C1, C2: TLS to every node of a cluster, for commands and for what waiters hear (%s)',
  async (library) => {
    const { startupNodes } = inject('servers').cluster
    const fronts = await Promise.all(startupNodes.map((node) => tlsBefore(node)))
    const places = fronts.map(({ wire: { port } }) => ({ host: '127.0.0.1', port }))
    const natMap = Object.fromEntries(
      startupNodes.map(({ host, port }, index) => [`${host}:${port}`, places[index]]),
    )
    const tls = { ca: fronts[0]?.ca }
    const clients = [1, 2].map(() => clusterClient(places, { natMap, redisOptions: { tls } }, library))
    const [holder, waiter] = clients.map((client) => new Holdfast(client))
    // Slots 3300, 7365 and 15495: one on each node.
    for (const tag of ['{b}', '{c}', '{a}']) {
      const name = `${tag}:tls:${library}:${process.pid}`
      const hold = await holder?.lock(name).acquire({ leaseMs: 60_000 })
      const waiting = waiter?.lock(name).acquire()
      await eventually(async () => (await holder?.lock(name).countWaitingClients()) === 1)
      await hold?.release()
      await (await waiting)?.release()
    }
    for (const { wire } of fronts) expect(wire.connections.length).toBeGreaterThanOrEqual(3)
    await Promise.all([holder?.close(), waiter?.close()])
    for (const client of clients) client.disconnect()
    await Promise.all(fronts.map(({ wire }) => wire.stop()))
  },
)
