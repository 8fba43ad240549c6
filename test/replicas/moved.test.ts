import { Redis } from 'ioredis5'
import { expect, inject, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast } from '../../src/index.js'
import { bringCluster } from '../servers/index.js'
import { clusterClient } from '../setup/clients.js'
import { MovableCluster, SlotMove } from './slot-move.js'

const place = MovableCluster.use()
const checking = (): Holdfast => place.holdfast({ checkReplicas: 1, replicasTimeoutMs: 20 })

test('checkReplicas asks the node where the lock is now, after its slot has moved', async () => {
  const lock = checking().lock('moves')
  for (let moves = 0; moves < 4; moves += 1) {
    // No node has a replica, so that an answer of the right one is a shortfall.
    expect(await rejectionOf(lock.tryAcquire())).toMatchObject({ reason: 'replicas' })
    await (await place.move('moves')).finish()
  }
  expect(await lock.isLocked()).toBe(false)
})

test('faults E5: a call that falls short while the slot of its lock moves leaves nothing behind', async () => {
  const lock = checking().lock('on-its-way')
  const move = await place.move(lock.name)
  expect(await rejectionOf(lock.tryAcquire())).toMatchObject({ reason: 'replicas' })
  expect(await lock.isLocked()).toBe(false)
  await move.finish()
})

test('faults E5: a lock is taken while its slot moves, and nested wherever its key is', async () => {
  const replicated = await bringCluster({ flavour: inject('servers').flavour, replicated: true })
  const nodes = replicated.nodes.map(({ host, port }) => new Redis({ host, port }))
  const made = (['ioredis-6', 'ioredis-5', 'iovalkey', 'node-redis-6'] as const).map((library) => {
    const client = clusterClient(replicated.startupNodes, {}, library)
    return { client, holdfast: new Holdfast(client, { checkReplicas: 1 }), name: `{moves}:${library}` }
  })
  const early = await Promise.all(made.map(({ holdfast, name }) => holdfast.lock(`${name}:early`).acquire()))
  const move = await SlotMove.of(early[0]?.name ?? '', nodes)
  const again = (): Promise<unknown> =>
    Promise.all(
      made.map(({ holdfast }, index) => {
        const owner = early[index]?.owner
        return holdfast.lock(early[index]?.name ?? '').acquire(owner === undefined ? {} : { owner })
      }),
    )
  // Kinds with several keys wait until the slot has moved.
  await Promise.all(made.map(({ holdfast, name }) => holdfast.lock(name).withLock(() => undefined)))
  await again()
  await move.take(await move.keys())
  await again()
  await move.finish()
  await again()
  for (const { client, holdfast } of made) {
    await holdfast.close()
    client.disconnect()
  }
  for (const node of nodes) node.disconnect()
  await replicated.stop()
})
