/** Who holds, when there are no threads: what implicit identity did to others. */
import { EventEmitter } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { NoOwnerError } from '../../src/index.js'
import { UnguardedCounter } from '../redisson/unguarded-counter.js'
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

test('redisson#6878: an explicit owner is one thread wherever it is used', async () => {
  const holdfast = place.holdfast()
  const lock = holdfast.lock(place.lockName())
  const owner = holdfast.owner()
  const emitter = new EventEmitter()
  await lock.lock({ owner })
  const nested = new Promise<void>((resolve, reject) => {
    emitter.once('request', () => lock.lock({ owner }).then(resolve, reject))
  })
  // From an event, and from within somebody else's scope.
  await holdfast.run(async () => {
    emitter.emit('request')
    await nested
    expect(await lock.holdCount(owner)).toBe(2)
    expect(await lock.isHeld()).toBe(false)
  })
  await lock.unlock({ owner })
  await lock.unlock({ owner })
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

test('codex-multi-auth PR#505, web-locks#67: siblings of one section do not go in together', async () => {
  const lock = place.holdfast().lock(place.lockName())
  const counter = new UnguardedCounter(place.client(), lock.name)
  await lock.withLock(async () => {
    await Promise.all(Array.from({ length: 8 }, () => lock.withLock(() => counter.section())))
  })
  expect(await counter.read()).toEqual({ value: 8, overlaps: 0 })
})

test('AsyncEx#159, AsyncLock#13: tasks that outlive their section are let in neither by it nor with each other', async () => {
  const lock = place.holdfast().lock(place.lockName())
  const counter = new UnguardedCounter(place.client(), lock.name)
  let goOn = (): void => undefined
  const told = new Promise<void>((resolve) => {
    goOn = resolve
  })
  let detached: Promise<unknown> = Promise.resolve()
  await lock.withLock(() => {
    const task = async (): Promise<void> => {
      await told
      // Its hold is that of no section of its own, which is what lets a scope's own code re-enter.
      const hold = await lock.acquire()
      await counter.section()
      await hold.release()
    }
    detached = Promise.all(Array.from({ length: 8 }, task))
  })
  // Held again by the same client, while they ask for it.
  await lock.withLock(async () => {
    goOn()
    await Promise.all(Array.from({ length: 3 }, () => lock.withLock(() => counter.section())))
    expect((await counter.read()).value).toBe(3)
  })
  await detached
  expect(await counter.read()).toEqual({ value: 11, overlaps: 0 })
})

test('web-locks#33: an owner does not leak to the code that called', async () => {
  const holdfast = place.holdfast()
  const lock = holdfast.lock(place.lockName())
  const hold = await lock.acquire()
  expect(await lock.isHeld()).toBe(false)
  await expect(lock.unlock()).rejects.toThrow(NoOwnerError)
  expect(await lock.tryAcquire()).toBeNull()
  await hold.release()
})
