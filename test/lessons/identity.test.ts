import { afterEach, expect, test } from 'vitest'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

test('redisson#503, #1824, #3580, #6878: a hold can be released from anywhere: it knows its owner', async () => {
  const holdfast = place.holdfast()
  const lock = holdfast.lock(place.lockName())
  const hold = await lock.acquire()
  await holdfast.run(async () => {
    await new Promise<void>((resolve, reject) => {
      setTimeout(() => hold.release().then(resolve, reject), 1)
    })
  })
  expect(await lock.isLocked()).toBe(false)
})

test('redisson#503: a scope goes with timers, promises and events that it awaits', async () => {
  const holdfast = place.holdfast()
  const lock = holdfast.lock(place.lockName())
  await holdfast.run(async () => {
    await lock.lock()
    await new Promise((resolve) => setTimeout(resolve, 1))
    await Promise.resolve().then(() => lock.lock())
    await new Promise<void>((resolve, reject) => {
      process.nextTick(() => lock.lock().then(resolve, reject))
    })
    expect(await lock.holdCount()).toBe(3)
    for (let depth = 0; depth < 3; depth += 1) await lock.unlock()
  })
  expect(await lock.isLocked()).toBe(false)
})
