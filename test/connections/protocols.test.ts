import { afterEach, describe, expect, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { named } from '../fault/proxied-command.js'
import type { ProxiedConnection } from '../fault/proxied-connection.js'
import { Scene } from '../fault/scene.js'
import { clientLibraries } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { clients } from './scenes.js'

let scene: Scene
afterEach(() => scene.end())

/** One process waits in line for each of these locks, and listens to releases by others. */
async function firstInLines(names: readonly string[], client: Holdfast): Promise<void> {
  for (const name of names) {
    await eventually(async () => (await client.lock(name).countWaitingClients()) === 1)
  }
  await eventually(async () => (await scene.releaseChannels()).length === names.length)
}

describe('C2: connections', () => {
  test.each(clients)('$what: $holding to hold, $waiting to wait for however many locks', async (plan) => {
    scene = await Scene.standalone(plan.library)
    const names = ['a', 'b', 'c'].map((letter) => `${scene.name}:${letter}`)
    const holder = scene.holdfast({}, { client: plan.client })
    const holds = await Promise.all(names.map((name) => holder.lock(name).acquire()))
    expect(scene.proxy.open).toHaveLength(plan.holding)
    const waiter = scene.holdfast({}, { client: plan.client })
    const waits = names.flatMap((name) => [waiter.lock(name).acquire(), waiter.lock(name).acquire()])
    await firstInLines(names, holder)
    expect(await scene.processChannels(waiter)).toHaveLength(1)
    expect(scene.proxy.open).toHaveLength(plan.holding + plan.waiting)
    await Promise.all(holds.map((hold) => hold.release()))
    await Promise.all(waits.map(async (wait) => (await wait).release()))
    await scene.nothingLeft()
    await eventually(async () => (await scene.processChannels(holder, waiter)).length === 0)
    await holder.close()
    await waiter.close()
    await eventually(() => scene.proxy.open.length === 0)
  })

  test.each(['ioredis-5', 'iovalkey'] as const)(
    'a second wait that begins while the connection for news is being set up is no trouble (%s)',
    async (library) => {
      scene = await Scene.standalone(library)
      const names = ['a', 'b'].map((letter) => `${scene.name}:${letter}`)
      const holder = scene.holdfast({}, { proxied: false })
      const holds = await Promise.all(names.map((name) => holder.lock(name).acquire()))
      const waiter = scene.holdfast({}, { client: { connectionName: 'application' } })
      const [first, second] = names.map((name) => waiter.lock(name))
      await Promise.all([first?.isLocked(), second?.isLocked()])
      // Until this is answered the client library has not asked whether the server is ready.
      const holding = scene.holdReply(named('CLIENT'))
      const waits = [first?.acquire()]
      const introduction = await holding
      const subscribing = scene.holdReply(named('SUBSCRIBE'))
      const begun = new Promise((resolve) => waiter.once('waiting', resolve))
      waits.push(second?.acquire())
      await begun
      // Time for a subscription to be sent, if it is.
      await new Promise((resolve) => setTimeout(resolve, 50))
      introduction.letGo()
      const subscription = await subscribing
      await eventually(() => scene.proxy.commands.some(({ name, reply }) => name === 'INFO' && reply))
      await new Promise((resolve) => setTimeout(resolve, 50))
      subscription.letGo()
      await firstInLines(names, holder)
      await Promise.all(holds.map((hold) => hold.release()))
      await Promise.all(waits.map(async (wait) => (await wait)?.release()))
      await scene.nothingLeft()
    },
  )

  test.each(clientLibraries)('a cluster is spoken to with sharded pub/sub only (%s)', async (library) => {
    scene = await Scene.cluster(library)
    const hold = await scene.holdfast().lock(scene.name).acquire()
    const waiter = scene.holdfast()
    const waiting = waiter.lock(scene.name).acquire()
    await firstInLines([scene.name], waiter)
    const channels = [...(await scene.channels()), ...(await scene.processChannels(waiter))]
    await hold.release()
    await (await waiting).release()
    await scene.nothingLeft()
    const commands = scene.proxies.flatMap((proxy) => proxy.commands)
    expect(commands.filter(({ name }) => /^P?SUBSCRIBE$/.test(name))).toEqual([])
    // Each channel once, and no other.
    const subscribed = commands.filter(named('SSUBSCRIBE')).flatMap(({ words }) => words.slice(1))
    expect(subscribed.sort()).toEqual(channels.sort())
    const releases = commands.filter(({ label }) => label === 'release')
    expect(releases.length).toBeGreaterThanOrEqual(2)
    for (const { words } of releases) {
      expect(words.map((word) => /^x (\S*) /.exec(word)?.[1]).filter(Boolean)).toEqual(['SPUBLISH'])
    }
  })
})

test('W4: a channel that is left while it is being subscribed anew stays left', async () => {
  const { holdfast, name, another, holds } = await twoHeld()
  const leaving = new AbortController()
  const left = holdfast.lock(name).acquire({ signal: leaving.signal })
  const staying = holdfast.lock(another).acquire()
  await eventually(async () => (await scene.releaseChannels()).length === 2)
  const subscribing = scene.holdReply(named('SUBSCRIBE'))
  scene.proxy.open.find(isSubscribed)?.break()
  const again = await subscribing
  const unsubscribing = scene.holdReply(named('UNSUBSCRIBE'))
  leaving.abort()
  await expect(left).rejects.toThrow()
  const given = await unsubscribing
  again.letGo()
  given.letGo()
  await eventually(async () => (await scene.releaseChannels()).length === 1)
  scene.proxy.open.find(isSubscribed)?.break()
  await eventually(() => scene.proxy.open.some(isSubscribed))
  // What is subscribed anew is asked for in one piece.
  await eventually(async () => (await scene.releaseChannels()).length > 0)
  expect(await scene.releaseChannels()).toEqual([expect.stringContaining(another)])
  for (const channel of await scene.channels()) expect(channel).toContain(another)
  for (const hold of holds) await hold.release()
  await (await staying).release()
})

test('W2: the first in line listens to releases, also if its subscription to them failed at first', async () => {
  const { holder, holdfast, name, another, holds } = await twoHeld()
  const first = holdfast.lock(another).acquire()
  await eventually(async () => (await holder.lock(another).countWaitingClients()) === 1)
  // Its process's channel is subscribed; what it listens to beside that, for this lock, is not.
  const breaking = scene.dropReply(named('SUBSCRIBE'), 'break')
  const second = holdfast.lock(name).acquire()
  expect((await breaking).words[1]).toContain(name)
  await eventually(async () => (await scene.releaseChannels()).length === 2)
  for (const hold of holds) await hold.release()
  for (const wait of [first, second]) await (await wait).release()
  await scene.nothingLeft()
})

/** Two locks that another process has, and a client with a connection for what waiters hear alone. */
async function twoHeld() {
  scene = await Scene.standalone('ioredis-6')
  const holder = scene.holdfast({}, { proxied: false })
  const holdfast = scene.holdfast({}, { client: { protocol: 2 } })
  const [name, another] = [scene.name, `${scene.name}:another`] as const
  const holds = [await holder.lock(name).acquire(), await holder.lock(another).acquire()]
  return { holder, holdfast, name, another, holds }
}

function isSubscribed({ commands }: ProxiedConnection): boolean {
  return commands.some(({ name }) => name === 'SUBSCRIBE')
}
