/** Redisson's tests of its permit-expirable semaphore, under its names. */
import { afterEach, describe, expect, inject, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { clusterClient } from '../setup/clients.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')
const ID = /^[0-9a-f]{32}$/

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

describe('numbers', () => {
  test('testNotExistent: none available, none taken, none at all', async () => {
    const semaphore = await semaphoreOf(0)
    expect(await semaphore.availablePermits()).toBe(0)
    expect(await semaphore.acquiredPermits()).toBe(0)
    expect(await semaphore.permits()).toBe(0)
    expect(await semaphore.tryAcquire()).toBeNull()
  })

  test('testAvailablePermits, testAcquiredPermits, testGetPermits: leases that end count as given back', async () => {
    const semaphore = await semaphoreOf(10)
    await semaphore.acquire({ permits: 4, leaseMs: 300 })
    await semaphore.acquire({ permits: 3 })
    await untilAvailable(semaphore, 7)
    expect(await semaphore.acquiredPermits()).toBe(3)
    expect(await semaphore.permits()).toBe(10)
  })

  test('testTrySetPermits: once', async () => {
    const semaphore = await semaphoreOf(10)
    expect(await semaphore.trySetPermits(15)).toBe(false)
    expect(await semaphore.availablePermits()).toBe(10)
  })

  test('testSetPermits: what is taken counts', async () => {
    const semaphore = await semaphoreOf(0)
    await semaphore.setPermits(15)
    await semaphore.acquire({ permits: 5 })
    await semaphore.setPermits(20)
    expect(await semaphore.availablePermits()).toBe(15)
    await semaphore.setPermits(3)
    expect(await semaphore.availablePermits()).toBe(-2)
  })

  test('testAddPermits: also fewer', async () => {
    const semaphore = await semaphoreOf(10)
    await semaphore.addPermits(5)
    expect(await semaphore.availablePermits()).toBe(15)
    await semaphore.reducePermits(20)
    expect(await semaphore.availablePermits()).toBe(-5)
  })

  test('testExpiration: a semaphore with an end leaves no keys', async () => {
    const semaphore = await semaphoreOf(0)
    await semaphore.trySetPermits(3, { ttlMs: 200 })
    await semaphore.acquire({ leaseMs: 600_000 })
    await place.eventually(async () => (await semaphore.permits()) === 0)
    const left = await place.client().call('EXISTS', semaphore.name, `{${semaphore.name}}:timeout`)
    expect(left).toBe(0)
  })
})

describe('taking', () => {
  test('testAcquire: ids of 16 bytes in hex', async () => {
    const semaphore = await semaphoreOf(3)
    const hold = await semaphore.acquire({ permits: 2 })
    expect(hold.permitIds).toHaveLength(2)
    for (const id of hold.permitIds) expect(id).toMatch(ID)
    expect(await semaphore.availablePermits()).toBe(1)
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
})
