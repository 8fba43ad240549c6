/** Redisson's tests of its count-down latch, under its names. */
import { expect, test } from 'vitest'
import { LockTimeoutError } from '../../src/index.js'
import { tidiedPlace } from '../setup/places.js'

const place = tidiedPlace('standalone')
const latchOf = (name = place.lockName()) => place.holdfast().countDownLatch(name)

test('testTrySetCount, testCount, testCountDown: set once, and again when it has opened; never below zero', async () => {
  const latch = latchOf()
  expect(await latch.count()).toBe(0)
  expect(await latch.countDown()).toBe(0)
  for (const count of [1, 2]) {
    expect(await latch.trySetCount(count)).toBe(true)
    expect(await latch.trySetCount(3)).toBe(false)
    expect(await latchOf(latch.name).count()).toBe(count)
    for (let left = count - 1; left >= -1; left -= 1) expect(await latch.countDown()).toBe(Math.max(left, 0))
    await latch.await()
  }
})

test('testAwaitTimeoutFail: does not open in time', async () => {
  const latch = latchOf()
  await latch.trySetCount(1)
  expect(await latch.tryAwait({ waitMs: 120 })).toBe(false)
  await expect(latch.await({ waitMs: 120 })).rejects.toThrow(LockTimeoutError)
})

// Redisson's waiters sleep on when a latch is deleted. What is not there is open: here they go on.
test('testDelete, testDeleteFailed: removed, it is open, and who waited goes on; then there is none', async () => {
  const latch = latchOf()
  await latch.trySetCount(1)
  const waiting = latchOf(latch.name).await()
  await place.eventually(async () => (await latch.countWaitingClients()) === 1)
  expect(await latch.delete()).toBe(true)
  await waiting
  expect(await latch.delete()).toBe(false)
})
