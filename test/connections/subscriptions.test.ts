import { expect, test } from 'vitest'
import { named } from '../fault/proxied-command.js'
import type { ProxiedConnection } from '../fault/proxied-connection.js'
import { Scene } from '../fault/scene.js'
import { eventually } from '../setup/eventually.js'

test('W4: a channel that is left while it is being subscribed anew stays left', async () => {
  const scene = await Scene.standalone('ioredis-6')
  const holder = scene.holdfast({}, { proxied: false })
  const holdfast = scene.holdfast({}, { client: { protocol: 2 } })
  const [name, another] = [scene.name, `${scene.name}:another`]
  const holds = [await holder.lock(name).acquire(), await holder.lock(another).acquire()]
  const leaving = new AbortController()
  const left = holdfast.lock(name).acquire({ signal: leaving.signal })
  const staying = holdfast.lock(another).acquire()
  await eventually(async () => (await scene.releaseChannels()).length === 2)
  const subscribing = scene.holdReply(named('SUBSCRIBE'))
  subscribed().break()
  const again = await subscribing
  const unsubscribing = scene.holdReply(named('UNSUBSCRIBE'))
  leaving.abort()
  await expect(left).rejects.toThrow()
  const given = await unsubscribing
  again.letGo()
  given.letGo()
  await eventually(async () => (await scene.releaseChannels()).length === 1)
  subscribed().break()
  await eventually(() => scene.proxy.open.some(isSubscribed))
  // What is subscribed anew is asked for in one piece.
  await eventually(async () => (await scene.releaseChannels()).length > 0)
  expect(await scene.releaseChannels()).toEqual([expect.stringContaining(another)])
  for (const channel of await scene.channels()) expect(channel).toContain(another)
  for (const hold of holds) await hold.release()
  await (await staying).release()
  await scene.end()

  function subscribed(): ProxiedConnection {
    const connection = scene.proxy.open.find(isSubscribed)
    if (!connection) throw new Error('nobody is subscribed')
    return connection
  }
})

test('W2: the first in line listens to releases, also if its subscription to them failed at first', async () => {
  const scene = await Scene.standalone('ioredis-6')
  const holder = scene.holdfast({}, { proxied: false })
  const holdfast = scene.holdfast({}, { client: { protocol: 2 } })
  const [name, another] = [scene.name, `${scene.name}:another`]
  const holds = [await holder.lock(name).acquire(), await holder.lock(another).acquire()]
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
  await scene.end()
})

function isSubscribed({ commands }: ProxiedConnection): boolean {
  return commands.some(({ name }) => name === 'SUBSCRIBE')
}
