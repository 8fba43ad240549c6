import { expect, test } from 'vitest'
import { bringServer } from '../servers/index.js'
import { duringEach } from '../setup/during.js'
import { Scene } from './scene.js'

const server = duringEach(() => bringServer())
const scene = duringEach(() => Scene.standalone(undefined, server))

test('chaos 5038: a multi-lock’s first members are kept from ending over a distance of two fifths of the lease', async () => {
  const holdfast = scene.holdfast()
  const lock = holdfast.multiLock([
    holdfast.fairLock('first'),
    holdfast.lock('second'),
    holdfast.fairLock('third'),
  ])
  await lock.withLock(async () => undefined)
  scene.proxy.delayMs = 200
  const hold = await lock.acquire({ leaseMs: 1_000, waitMs: 8_000 })
  expect(hold.remainingMs()).toBeGreaterThan(0)
  scene.proxy.delayMs = 0
  await hold.release()
})
