import { expect, onTestFinished, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import type { Holdfast } from '../../src/index.js'
import { clientLibraries } from '../setup/clients.js'
import { duringAll } from '../setup/during.js'
import { MovableCluster } from './slot-move.js'

const place = duringAll(() => MovableCluster.bring())
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
  const replicated = await MovableCluster.bring(true)
  onTestFinished(() => replicated.end())
  const made = [...clientLibraries, 'node-redis-6' as const].map((library) => {
    return { holdfast: replicated.holdfast({ checkReplicas: 1 }, library), name: `{moves}:${library}` }
  })
  const early = await Promise.all(made.map(({ holdfast, name }) => holdfast.lock(`${name}:early`).acquire()))
  const move = await replicated.move(early[0]?.name ?? '')
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
})
