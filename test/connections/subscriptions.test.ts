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
  await eventually(async () => (await scene.channels()).length === 2)
  const subscribing = scene.holdReply(named('SUBSCRIBE'))
  subscribed().break()
  const again = await subscribing
  const unsubscribing = scene.holdReply(named('UNSUBSCRIBE'))
  leaving.abort()
  await expect(left).rejects.toThrow()
  const given = await unsubscribing
  again.letGo()
  given.letGo()
  await eventually(async () => (await scene.channels()).length === 1)
  subscribed().break()
  await eventually(() => scene.proxy.open.some(isSubscribed))
  // What is subscribed anew is asked for in one piece.
  await eventually(async () => (await scene.channels()).length > 0)
  expect(await scene.channels()).toEqual([expect.stringContaining(another)])
  for (const hold of holds) await hold.release()
  await (await staying).release()
  await scene.end()

  function subscribed(): ProxiedConnection {
    const connection = scene.proxy.open.find(isSubscribed)
    if (!connection) throw new Error('nobody is subscribed')
    return connection
  }
})

function isSubscribed({ commands }: ProxiedConnection): boolean {
  return commands.some(({ name }) => name === 'SUBSCRIBE')
}
