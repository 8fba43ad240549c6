/** Redisson's tests of its semaphore, under its names. */
import { afterEach, describe, expect, test } from 'vitest'
import { InvalidArgumentError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')
const JAVA_MAX = 2 ** 31 - 1

afterEach(() => place.tidy())

async function semaphoreOf(permits: number) {
  const semaphore = place.holdfast().semaphore(place.lockName())
  if (permits > 0) expect(await semaphore.trySetPermits(permits)).toBe(true)
  return semaphore
}

describe('numbers', () => {
  // Redisson lets zero permits pass, and asks nobody. To ask for none is a mistake in the caller's sums: it hears of it.
  test('testZero: to take or give no permits is refused, and changes nothing', async () => {
    const semaphore = await semaphoreOf(0)
    await expect(semaphore.tryAcquire({ permits: 0, waitMs: 600_000 })).rejects.toThrow(InvalidArgumentError)
    await expect(semaphore.release(0)).rejects.toThrow(InvalidArgumentError)
    expect(await semaphore.availablePermits()).toBe(0)
  })

  test('testAcquireWithoutSetPermits: what was released can be acquired', async () => {
    const semaphore = await semaphoreOf(0)
    await semaphore.release()
    await semaphore.release()
    const hold = await semaphore.acquire({ permits: 2 })
    expect(await semaphore.availablePermits()).toBe(0)
    await hold.release()
  })

  test('testReleaseWithoutPermits: a release without an acquire makes a permit', async () => {
    const semaphore = await semaphoreOf(0)
    await semaphore.release()
    expect(await semaphore.availablePermits()).toBe(1)
  })

  test('testTrySetPermits: once; and with an end, after which there are none', async () => {
    const semaphore = await semaphoreOf(10)
    expect(await semaphore.trySetPermits(15)).toBe(false)
    expect(await semaphore.availablePermits()).toBe(10)
    const passing = await semaphoreOf(0)
    expect(await passing.trySetPermits(1, { ttlMs: 200 })).toBe(true)
    expect(await passing.availablePermits()).toBe(1)
    await place.eventually(async () => (await passing.availablePermits()) === 0)
    expect(await place.client().call('EXISTS', passing.name)).toBe(0)
  })

  test('testAddPermits: added ones can be acquired beside those that come back', async () => {
    const semaphore = await semaphoreOf(10)
    const ten = await semaphore.acquire({ permits: 10 })
    expect(await semaphore.availablePermits()).toBe(0)
    await semaphore.addPermits(4)
    expect(await semaphore.availablePermits()).toBe(4)
    await ten.release()
    expect(await semaphore.availablePermits()).toBe(14)
    await semaphore.acquire({ permits: 5 })
    expect(await semaphore.availablePermits()).toBe(9)
  })

  test('testReducePermits: below zero, until what is taken comes back', async () => {
    const semaphore = await semaphoreOf(10)
    const ten = await semaphore.acquire({ permits: 10 })
    await semaphore.reducePermits(5)
    expect(await semaphore.availablePermits()).toBe(-5)
    await ten.release()
    expect(await semaphore.availablePermits()).toBe(5)
    await semaphore.acquire({ permits: 5 })
    expect(await semaphore.availablePermits()).toBe(0)
  })

  test('testDrainPermits: all that are available', async () => {
    const semaphore = await semaphoreOf(0)
    expect(await semaphore.drainPermits()).toBe(0)
    await semaphore.trySetPermits(10)
    await semaphore.acquire({ permits: 3 })
    expect(await semaphore.drainPermits()).toBe(7)
    expect(await semaphore.availablePermits()).toBe(0)
  })

  test('testReleaseIfExists: gives a permit only to a semaphore that is set', async () => {
    const semaphore = await semaphoreOf(0)
    expect(await semaphore.releaseIfExists()).toBe(false)
    expect(await semaphore.availablePermits()).toBe(0)
    await semaphore.trySetPermits(10)
    expect(await semaphore.releaseIfExists()).toBe(true)
    expect(await semaphore.availablePermits()).toBe(11)
  })
})

describe('waiting', () => {
  test('testAcquireAfterAddPermits: a waiter for two is let in when there are two, not before', async () => {
    const semaphore = await semaphoreOf(0)
    await semaphore.addPermits(1)
    const far = place.holdfast().semaphore(semaphore.name)
    let entered = false
    const waiting = far.acquire({ permits: 2 }).then((hold) => {
      entered = true
      return hold
    })
    await place.eventually(async () => (await semaphore.countWaitingClients()) === 1)
    const one = await semaphore.acquire()
    await one.release()
    expect(await far.availablePermits()).toBe(1)
    expect(entered).toBe(false)
    await semaphore.addPermits(1)
    await waiting
    expect(await semaphore.availablePermits()).toBe(0)
  })
})

describe('concurrency', () => {
  test('testConcurrencyLoopMax_MultiInstance: one or all of 2147483647 permits', async () => {
    const semaphore = await semaphoreOf(JAVA_MAX)
    const each = Array.from({ length: 4 }, () => place.holdfast().semaphore(semaphore.name))
    let sections = 0
    await Promise.all(
      each.map(async (handle, index) => {
        for (let round = 0; round < 10; round += 1) {
          await handle.withPermits({ permits: (index + round) % 2 === 0 ? JAVA_MAX : 1 }, () => {
            sections += 1
          })
        }
      }),
    )
    expect(sections).toBe(40)
    expect(await semaphore.availablePermits()).toBe(JAVA_MAX)
  })
})
