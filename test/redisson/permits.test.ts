/** Redisson's tests of its semaphores, under its names. */
import { describe, expect, inject, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { clusterClient } from '../setup/clients.js'
import { tidiedPlace } from '../setup/places.js'

const place = tidiedPlace('standalone')

async function semaphoreOf(permits: number) {
  const semaphore = place.holdfast().semaphore(place.lockName())
  if (permits > 0) expect(await semaphore.trySetPermits(permits)).toBe(true)
  return semaphore
}

async function expirableOf(permits: number) {
  const semaphore = place.holdfast().permitExpirableSemaphore(place.lockName())
  if (permits > 0) expect(await semaphore.trySetPermits(permits)).toBe(true)
  return semaphore
}

async function untilAvailable(semaphore: { availablePermits(): Promise<number> }, permits: number) {
  await place.eventually(async () => (await semaphore.availablePermits()) === permits)
}

describe.each([
  ['semaphore', semaphoreOf],
  ['permitExpirableSemaphore', expirableOf],
])('%s', (_kind, semaphoreOfKind) => {
  test('testTrySetPermits, testExpiration: once; and with an end, after which there are none, nor keys', async () => {
    const semaphore = await semaphoreOfKind(10)
    expect(await semaphore.trySetPermits(15)).toBe(false)
    expect(await semaphore.availablePermits()).toBe(10)
    const passing = await semaphoreOfKind(0)
    expect(await passing.trySetPermits(3, { ttlMs: 200 })).toBe(true)
    await passing.acquire({ leaseMs: 600_000 })
    await untilAvailable(passing, 0)
    expect(await place.client().call('EXISTS', passing.name, `{${passing.name}}:timeout`)).toBe(0)
  })

  test('testAddPermits, testReducePermits: added ones are there beside those that come back; fewer, also below zero', async () => {
    const semaphore = await semaphoreOfKind(10)
    const ten = await semaphore.acquire({ permits: 10 })
    await semaphore.addPermits(4)
    expect(await semaphore.availablePermits()).toBe(4)
    await semaphore.reducePermits(9)
    expect(await semaphore.availablePermits()).toBe(-5)
    await ten.release()
    expect(await semaphore.availablePermits()).toBe(5)
  })
})

describe('semaphore', () => {
  test('testAcquireWithoutSetPermits, testReleaseWithoutPermits, testReleaseIfExists: what was released can be acquired; only what is set is given more', async () => {
    const semaphore = await semaphoreOf(0)
    expect(await semaphore.releaseIfExists()).toBe(false)
    await semaphore.release()
    await semaphore.release()
    await semaphore.acquire({ permits: 2 })
    expect(await semaphore.releaseIfExists()).toBe(true)
    expect(await semaphore.availablePermits()).toBe(1)
  })
})

describe('permits with ids', () => {
  test('testNotExistent, testAvailablePermits, testAcquiredPermits, testGetPermits: none at first; leases that end count as given back', async () => {
    const semaphore = await expirableOf(0)
    const numbers = () =>
      Promise.all([semaphore.availablePermits(), semaphore.acquiredPermits(), semaphore.permits()])
    expect(await numbers()).toEqual([0, 0, 0])
    expect(await semaphore.tryAcquire()).toBeNull()
    await semaphore.trySetPermits(10)
    await semaphore.acquire({ permits: 4, leaseMs: 300 })
    await semaphore.acquire({ permits: 3 })
    await untilAvailable(semaphore, 7)
    expect(await numbers()).toEqual([7, 3, 10])
  })

  test('testSetPermits: what is taken counts', async () => {
    const semaphore = await expirableOf(0)
    await semaphore.setPermits(15)
    await semaphore.acquire({ permits: 5 })
    await semaphore.setPermits(20)
    expect(await semaphore.availablePermits()).toBe(15)
    await semaphore.setPermits(3)
    expect(await semaphore.availablePermits()).toBe(-2)
  })

  test('testGetInClusterNameMapper: with a prefix, in a cluster', async () => {
    const client = clusterClient(inject('servers').cluster.startupNodes, { keyPrefix: 'mapped:' })
    await using holdfast = new Holdfast(client)
    const semaphore = holdfast.permitExpirableSemaphore(place.lockName())
    expect(await semaphore.trySetPermits(1)).toBe(true)
    const hold = await semaphore.acquire()
    expect(await semaphore.acquiredPermits()).toBe(1)
    await hold.release()
    expect(await semaphore.availablePermits()).toBe(1)
    client.disconnect()
  })

  test('testAcquire, testReleaseManyExpiredDoesNotThrow (H31): permits have ids of 16 bytes in hex; those that ended in bulk come back with the next one, whose end throws nowhere', async () => {
    const semaphore = await expirableOf(10)
    for (const permits of [6, 1]) {
      const { permitIds } = await semaphore.acquire({ permits, leaseMs: 60_000 })
      expect(permitIds).toEqual(Array(permits).fill(expect.stringMatching(/^[0-9a-f]{32}$/)))
      expect(await semaphore.availablePermits()).toBe(10 - permits)
      await Promise.all(permitIds.map((id) => semaphore.updateLeaseTime(id, 100)))
      await untilAvailable(semaphore, 10)
    }
  })

  test('testReleaseManyNotExistOrExpired (H31): one that is expired, released, unknown or no id at all spoils the release of all', async () => {
    const semaphore = await expirableOf(10)
    const { permitIds: timed } = await semaphore.acquire({ permits: 2, leaseMs: 200 })
    const permitIds = (await semaphore.tryAcquire({ permits: 8 }))?.permitIds ?? []
    expect(permitIds).toHaveLength(8)
    const released = permitIds.slice(0, 2)
    expect(await semaphore.tryRelease(released)).toBe(true)
    await untilAvailable(semaphore, 4)
    const wrong = [timed, [...permitIds.slice(2, 4), ...released], [...permitIds.slice(4, 6), 'f'.repeat(32)]]
    for (const ids of wrong)
      await expect(semaphore.release(ids)).rejects.toMatchObject({ code: 'PERMIT_NOT_HELD' })
    // What cannot be an id at all is found out before anything is sent.
    for (const ids of [['1234'], [...permitIds.slice(4, 6), '4567']])
      await expect(semaphore.release(ids)).rejects.toThrow('hexadecimal')
    expect(await semaphore.availablePermits()).toBe(4)
    await semaphore.release(permitIds.slice(2))
    expect(await semaphore.availablePermits()).toBe(10)
  })
})
