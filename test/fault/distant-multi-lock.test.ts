import { expect, test } from 'vitest'
import { bringServer } from '../servers/index.js'
import { duringEach } from '../setup/during.js'
import { lasting } from '../setup/lasting.js'
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
  // No longer than that: an answer comes within the time of a command.
  const leaseMs = Math.min(lasting(1_000), 4_000)
  scene.proxy.delayMs = leaseMs / 5
  const hold = await lock.acquire({ leaseMs, waitMs: 8 * leaseMs })
  expect(hold.remainingMs()).toBeGreaterThan(0)
  scene.proxy.delayMs = 0
  await hold.release()
})
