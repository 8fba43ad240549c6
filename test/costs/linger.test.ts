import { describe, expect, test } from 'vitest'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

const ROUNDS = 10

describe.each(['ioredis-6', 'ioredis-5'] as const)('a subscription lingers (%s)', (library) => {
  const scene = duringEach(() => Scene.counted(library))

  test('W2: contention that comes again does not subscribe again; when it stays away the channel is dropped', async () => {
    const holder = scene.holdfast({}, { proxied: false }).lock(scene.name)
    const waiter = scene.holdfast().lock(scene.name)
    const tally = scene.proxy.tally()
    for (let round = 0; round < ROUNDS; round += 1) {
      const hold = await holder.acquire()
      const waiting = waiter.acquire()
      await eventually(
        () => holder.countWaitingClients(),
        (count) => count === 1,
      )
      await hold.release()
      await (await waiting).release()
    }
    // On a machine that stands still between two rounds the subscription may be given up; not between all of them.
    expect(tally.labels.filter((label) => label === 'SUBSCRIBE').length).toBeLessThan(ROUNDS / 2)
    await eventually(async () => (await scene.channels()).length === 0)
  })
})
