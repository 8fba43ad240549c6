import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { RedisClient, StandaloneClient } from '../../src/index.js'
import { eventsOf } from '../fault/heard.js'
import { named } from '../fault/proxied-command.js'
import { Scene } from '../fault/scene.js'
import { clientLibraries, clusterClient, standaloneClient } from '../setup/clients.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { tlsBefore } from '../wire/tls.js'
import { handOver, holdfasts } from './scenes.js'

describe.each(clientLibraries)("C1: the application's client (%s)", (library) => {
  const scene = duringEach(() => Scene.standalone(library))
  const holdfastOn = holdfasts()

  function clientOfProxy(): StandaloneClient {
    return standaloneClient({ host: scene.proxy.host, port: scene.proxy.port }, library)
  }

  test('ioredis: that waits in BLPOP delays nothing, and goes on waiting', async () => {
    const application = clientOfProxy()
    const holdfast = holdfastOn(application, { watchdogMs: lasting(1_800) })
    const list = `${scene.name}:list`
    const popped = application.call('BLPOP', list, 0)
    await eventually(() => scene.proxy.commands.some(named('BLPOP')))
    const heard = eventsOf(holdfast, ['renewed', 'suspended', 'lost'])
    const hold = await holdfast.lock(scene.name).acquire()
    const waiting = holdfast.lock(scene.name).acquire()
    await eventually(() => heard.length >= 2)
    await hold.release()
    await (await waiting).release()
    expect(new Set(heard)).toEqual(new Set(['renewed']))
    await scene.nothingLeft()
    await scene.direct.lpush(list, 'value')
    expect(await popped).toEqual([list, 'value'])
  })

  test('that is closed takes nothing with it', async () => {
    const application = clientOfProxy()
    const holdfast = holdfastOn(application, { watchdogMs: lasting(1_800) })
    await application.call('PING')
    const hold = await holdfast.lock(scene.name).acquire()
    application.disconnect()
    await new Promise((resolve) => holdfast.once('renewed', resolve))
    await hold.release()
    await scene.nothingLeft()
  })
})

describe.each(clientLibraries)('C1: settings that are honoured (%s)', (library) => {
  const scene = duringEach(() => Scene.standalone(library))

  test('node-redlock#107, #195, sesamecare PR#10: keyPrefix and db: the key is there and nowhere else, and a release wakes', async () => {
    const client = { keyPrefix: 'app:', db: 3 }
    const hold = await scene.holdfast({}, { client }).lock(scene.name).acquire()
    const waiter = scene.holdfast({}, { client })
    const waiting = waiter.lock(scene.name).acquire()
    // Another prefix, or another database, is another lock.
    for (const other of [{ db: 3 }, { keyPrefix: 'app:' }])
      await (await scene.holdfast({}, { client: other }).lock(scene.name).acquire()).release()
    const there = scene.direct.duplicate()
    await there.call('SELECT', 3)
    const stored = [hold.owner, '1', 'since', expect.any(String)]
    expect(await there.call('HGETALL', `app:${scene.name}`)).toEqual(stored)
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
})

const holdfastOn = holdfasts()

test.each(
  [...clientLibraries, 'node-redis-6' as const].flatMap((library) => [
    { library, where: 'a server' },
    { library, where: 'every node of a cluster' },
  ]),
)('C1, C2: TLS to $where, for commands and for what waiters hear ($library)', async ({ library, where }) => {
  const { standalone, cluster } = inject('servers')
  const nodes = where === 'a server' ? [standalone] : cluster.startupNodes
  const fronts = await Promise.all(nodes.map((node) => tlsBefore(node)))
  onTestFinished(async () => void (await Promise.all(fronts.map(({ wire }) => wire.stop()))))
  const places = fronts.map(({ wire: { port } }) => ({ host: '127.0.0.1', port }))
  const natMap = Object.fromEntries(nodes.map(({ host, port }, index) => [`${host}:${port}`, places[index]]))
  const client = (tls: object): RedisClient =>
    where === 'a server'
      ? standaloneClient({ host: '127.0.0.1', port: 0, ...places[0], tls }, library)
      : clusterClient(places, { natMap, redisOptions: { tls } }, library)
  const trusting = { ca: fronts[0]?.ca }
  const [holder, waiter] = [holdfastOn(client(trusting)), holdfastOn(client(trusting))]
  // Slots 3300, 7365 and 15495: one on each node.
  for (const tag of ['{b}', '{c}', '{a}']) {
    const name = `${tag}:tls:${library}:${process.pid}`
    await handOver(holder.lock(name), waiter.lock(name))
  }
  for (const { wire } of fronts) expect(wire.connections.length).toBeGreaterThanOrEqual(2)
  const stranger = holdfastOn(client({}), { storeTimeoutMs: 300 }).lock('{b}:tls')
  await expect(stranger.acquire()).rejects.toMatchObject({ reason: 'unreachable' })
})
