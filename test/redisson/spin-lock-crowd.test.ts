/** RedissonSpinLockTest in a cluster and on a server that is down, under its names. */
import { afterEach, describe, expect, test } from 'vitest'
import { type Holdfast, StoreError } from '../../src/index.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { eventually } from '../setup/eventually.js'
import { type Place, placeOf } from '../setup/places.js'
import { PrivateServer } from './private-server.js'
import { UnguardedCounter } from './unguarded-counter.js'

/** Each instance goes through so many sections, nested, and none of them meets another. */
async function takeTurns(
  place: Place,
  name: string,
  instances: readonly Holdfast[],
  rounds: number,
): Promise<void> {
  const counter = new UnguardedCounter(place.client(), name)
  const turns = instances.map(async (holdfast) => {
    const lock = holdfast.spinLock(name)
    for (let round = 0; round < rounds; round += 1)
      await holdfast.run(async () => {
        await lock.lock()
        await lock.lock()
        await counter.section()
        await lock.unlock()
        await lock.unlock()
      })
  })
  await Promise.all(turns)
  expect(await counter.read()).toEqual({ value: instances.length * rounds, overlaps: 0 })
  expect(await instances[0]?.spinLock(name).isLocked()).toBe(false)
}

describe('in a cluster', () => {
  const place = placeOf('cluster')
  afterEach(() => place.tidy())

  test('testInCluster: locks of every node exclude, count, and are had without an announcement', async () => {
    const instances = [place.holdfast(), place.holdfast(), place.holdfast()]
    const names = Array.from({ length: 9 }, () => place.lockName())
    const nodes = new Set(names.map((name) => Math.floor(slotOf(name) / (16_384 / 3))))
    await Promise.all(names.map((name) => takeTurns(place, name, instances, 2)))
    expect([...nodes].sort()).toEqual([0, 1, 2])
  })
})

test('testRedisFailed: tryLock throws, it does not say false; a wait that is under way ends by its own time', async () => {
  const down = await PrivateServer.bring()
  const holdfast = down.holdfast()
  const other = down.holdfast()
  try {
    await holdfast.run(async () => {
      const lock = holdfast.spinLock('known')
      await lock.lock()
      const wait = other.run(() => other.spinLock('known').tryLock({ waitMs: 1_000 }))
      await eventually(() => other.metrics().waiting === 1)
      const refused = wait.catch((error: unknown) => error)
      await down.server.kill()
      expect(await refused).not.toBe(true)
      await expect(holdfast.spinLock('unknown').tryLock()).rejects.toSatisfy(
        (error) =>
          error instanceof StoreError && error.reason === 'unreachable' && error.lockName === 'unknown',
      )
    })
    await Promise.all([holdfast.close(), other.close()])
  } finally {
    await down.server.stop()
  }
})
