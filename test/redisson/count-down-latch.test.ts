/** Redisson's tests of its count-down latch, under its names. */
import { expect, test } from 'vitest'
import { LockTimeoutError } from '../../src/index.js'
import { tidiedPlace } from '../setup/places.js'

const place = tidiedPlace('standalone')

async function latchOf(count: number) {
  const latch = place.holdfast().countDownLatch(place.lockName())
  if (count > 0) expect(await latch.trySetCount(count)).toBe(true)
  return latch
}

test('testAwaitTimeoutFail: does not open in time', async () => {
  const latch = await latchOf(1)
  expect(await latch.tryAwait({ waitMs: 120 })).toBe(false)
  await expect(latch.await({ waitMs: 120 })).rejects.toThrow(LockTimeoutError)
})

test('testCountDown: never below zero, and await returns at once then', async () => {
  const latch = await latchOf(2)
  for (const left of [1, 0, 0, 0]) {
    expect(await latch.countDown()).toBe(left)
    expect(await latch.count()).toBe(left)
  }
  await latch.await()
  const never = await latchOf(0)
  expect(await never.countDown()).toBe(0)
  await never.await()
})

// Redisson's waiters sleep on when a latch is deleted. What is not there is open: here they go on.
test('testDelete: removed, it is open, and who waited goes on', async () => {
  const latch = await latchOf(1)
  const waiting = place.holdfast().countDownLatch(latch.name).await()
  await place.eventually(async () => (await latch.countWaitingClients()) === 1)
  expect(await latch.delete()).toBe(true)
  await waiting
  expect(await latch.count()).toBe(0)
})

test('testDeleteFailed: there was none', async () => {
  const latch = await latchOf(0)
  expect(await latch.delete()).toBe(false)
})

test('testTrySetCount: once, and again when it has opened', async () => {
  const latch = await latchOf(1)
  expect(await latch.trySetCount(2)).toBe(false)
  await latch.countDown()
  expect(await latch.trySetCount(2)).toBe(true)
})

test('testCount: what was set', async () => {
  const latch = await latchOf(0)
  expect(await latch.count()).toBe(0)
  await latch.trySetCount(2)
  expect(await place.holdfast().countDownLatch(latch.name).count()).toBe(2)
})
