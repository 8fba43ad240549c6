/** RedissonSpinLockTest's tests of calls that do not block, which all of ours are, and of interrupts. */
import { afterEach, expect, test } from 'vitest'
import { untilWaiting } from '../../src/conformance/idle.js'
import { inTime, rejectionOf } from '../../src/conformance/outcome.js'
import { placeOf } from '../setup/places.js'
import { Thread } from './thread.js'

// Waits that are decided by time are run where time is decided by the test.
const place = placeOf('memory-virtual-time', 'spin')
const server = placeOf('standalone', 'spin')

afterEach(async () => {
  await place.tidy()
  await server.tidy()
})

test('testTryLockAsync: lock(), then a tryLock() of another thread that is told of it when it is unlocked', async () => {
  const holdfast = server.holdfast()
  const lock = holdfast.spinLock(server.lockName())
  const [owner, other] = [await Thread.start(holdfast), await Thread.start(holdfast)]
  await owner.do(() => lock.lock())
  const outcome = other.do(() => lock.tryLock({ waitMs: 15_000 }))
  await server.eventually(() => holdfast.metrics().waiting === 1)
  await owner.do(() => lock.unlock())
  expect(await outcome).toBe(true)
  expect(await other.do(() => lock.isHeld())).toBe(true)
  await other.do(() => lock.unlock())
  await owner.end()
  await other.end()
})

test('testTimedTryLockAsync: with a wait and a lease: had while it is free, with the lease that was asked for', async () => {
  const holdfast = place.holdfast()
  const lock = holdfast.spinLock(place.lockName())
  await holdfast.run(async () => {
    expect(await lock.tryLock({ waitMs: 1_000, leaseMs: 2_000 })).toBe(true)
    expect(await lock.remainingMs()).toBe(2_000)
    await lock.unlock()
    expect(await lock.isLocked()).toBe(false)
  })
})

test('testTryLockAsyncWaitTime, testTryLockWait: a wait that is longer than the holder needs succeeds, one that is shorter does not', async () => {
  const name = place.lockName()
  const hold = await place.holdfast().spinLock(name).acquire({ leaseMs: 60_000 })
  const [short, long] = [place.holdfast(), place.holdfast()]
  const refused = short.run(() => short.spinLock(name).tryLock({ waitMs: 200 }))
  const granted = long.spinLock(name).tryAcquire({ waitMs: 1_000 })
  await place.pass(199)
  expect(short.metrics().waiting).toBe(1)
  await place.pass(1)
  expect(await refused).toBe(false)
  await place.pass(300)
  await hold.release()
  const next = await inTime(place, granted)
  expect(next).not.toBeNull()
  await next?.release()
})

// There are no interrupts in JavaScript: a wait ends early by its own signal, and by nothing else.
test('testLockUninterruptibly: a lock() without a signal waits on, one with a signal ends with its reason', async () => {
  const name = place.lockName()
  const hold = await place.holdfast().spinLock(name).acquire()
  const waiting = place.holdfast()
  const abort = new AbortController()
  let entered = false
  const patient = waiting.run(async () => {
    const lock = waiting.spinLock(name)
    await lock.lock()
    entered = true
    await lock.unlock()
  })
  const interrupted = rejectionOf(waiting.run(() => waiting.spinLock(name).lock({ signal: abort.signal })))
  await untilWaiting(place, waiting.spinLock(name), 1)
  await place.pass(5_000)
  const reason = new Error('interrupted')
  abort.abort(reason)
  expect(await interrupted).toBe(reason)
  expect(entered).toBe(false)
  await hold.release()
  await inTime(place, patient)
  expect(entered).toBe(true)
})
