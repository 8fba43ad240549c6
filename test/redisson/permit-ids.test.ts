/** Redisson's tests of what is done with a permit's id, under its names. */
import { afterEach, describe, expect, test } from 'vitest'
import { PermitNotHeldError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

async function semaphoreOf(permits: number) {
  const semaphore = place.holdfast().permitExpirableSemaphore(place.lockName())
  if (permits > 0) expect(await semaphore.trySetPermits(permits)).toBe(true)
  return semaphore
}

type Handle = Awaited<ReturnType<typeof semaphoreOf>>

async function untilAvailable(semaphore: Handle, permits: number): Promise<void> {
  await place.eventually(async () => (await semaphore.availablePermits()) === permits)
}

describe('by the id', () => {
  test('testRelease: once', async () => {
    const semaphore = await semaphoreOf(1)
    const { permitIds } = await semaphore.acquire()
    await semaphore.release(permitIds)
    expect(await semaphore.availablePermits()).toBe(1)
    await expect(semaphore.release(permitIds)).rejects.toThrow(PermitNotHeldError)
    expect(await semaphore.availablePermits()).toBe(1)
  })

  test('testReleaseWithoutPermits: what is no permit is refused', async () => {
    const semaphore = await semaphoreOf(0)
    await expect(semaphore.release('0'.repeat(32))).rejects.toThrow(PermitNotHeldError)
    await expect(semaphore.release('1234')).rejects.toThrow('hexadecimal')
  })

  test('testReleaseExpired, testTryReleaseManyExpired: not given back by who is late', async () => {
    const semaphore = await semaphoreOf(3)
    const { permitIds } = await semaphore.acquire({ permits: 2, leaseMs: 200 })
    await untilAvailable(semaphore, 3)
    expect(await semaphore.tryRelease(String(permitIds[0]))).toBe(false)
    expect(await semaphore.tryRelease(permitIds)).toBe(false)
    expect(await semaphore.availablePermits()).toBe(3)
  })

  test('testReleaseManyExpiredDoesNotThrow (H31): permits that ended in bulk come back with the next one, whose end throws nowhere', async () => {
    const semaphore = await semaphoreOf(10)
    expect((await semaphore.acquire({ permits: 6, leaseMs: 200 })).permitIds).toHaveLength(6)
    expect(await semaphore.availablePermits()).toBe(4)
    await untilAvailable(semaphore, 10)
    await semaphore.acquire({ leaseMs: 200 })
    expect(await semaphore.availablePermits()).toBe(9)
    await untilAvailable(semaphore, 10)
  })

  test('testReleaseManyNotExistOrExpired (H31): one that is expired, released, unknown or no id at all spoils the release of all', async () => {
    const semaphore = await semaphoreOf(10)
    const { permitIds: timed } = await semaphore.acquire({ permits: 2, leaseMs: 200 })
    const permitIds = (await semaphore.tryAcquire({ permits: 8 }))?.permitIds ?? []
    expect(permitIds).toHaveLength(8)
    const released = permitIds.slice(0, 2)
    expect(await semaphore.tryRelease(released)).toBe(true)
    await untilAvailable(semaphore, 4)
    const refused = [
      timed,
      [...permitIds.slice(2, 4), ...released],
      [...permitIds.slice(4, 6), 'f'.repeat(32)],
    ]
    for (const ids of refused) {
      await expect(semaphore.release(ids)).rejects.toMatchObject({ code: 'PERMIT_NOT_HELD' })
      expect(await semaphore.availablePermits()).toBe(4)
    }
    // What cannot be an id at all is found out before anything is sent.
    for (const ids of [['1234'], [...permitIds.slice(4, 6), '4567']]) {
      await expect(semaphore.release(ids)).rejects.toThrow('hexadecimal')
      expect(await semaphore.availablePermits()).toBe(4)
    }
    await semaphore.release(permitIds.slice(2))
    expect(await semaphore.availablePermits()).toBe(10)
  })

  test('testUpdateLeaseTime: longer, and shorter', async () => {
    const semaphore = await semaphoreOf(1)
    const [id = ''] = (await semaphore.acquire({ leaseMs: 60_000 })).permitIds
    expect(await semaphore.updateLeaseTime(id, 600_000)).toBe(true)
    expect(await semaphore.leaseMs(id)).toBeGreaterThan(60_000)
    expect(await semaphore.updateLeaseTime(id, 100)).toBe(true)
    await untilAvailable(semaphore, 1)
    expect(await semaphore.updateLeaseTime(id, 100)).toBe(false)
  })

  // Redisson says -1 where a permit never ends, and throws where there is none; here both are amounts of time.
  test('testGetLeaseTime: Infinity for what never ends, 0 for what is not taken', async () => {
    const semaphore = await semaphoreOf(1)
    const [id = ''] = (await semaphore.acquire({ leaseMs: 60_000 })).permitIds
    expect(await semaphore.leaseMs(id)).toBeLessThanOrEqual(60_000)
    await semaphore.updateLeaseTime(id, Number.POSITIVE_INFINITY)
    expect(await semaphore.leaseMs(id)).toBe(Number.POSITIVE_INFINITY)
    await semaphore.release(id)
    expect(await semaphore.leaseMs(id)).toBe(0)
  })
})
