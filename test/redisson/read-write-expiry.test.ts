import { expect, test } from 'vitest'
import { tidiedPlace } from '../setup/places.js'
import { sidesOf } from './read-write-sides.js'

const place = tidiedPlace('standalone')

test('testReadLockExpirationRenewal: fifty readers outlive the watchdog’s lease', async () => {
  const name = place.lockName()
  const watchdogMs = place.lease(1_500)
  const holdfast = place.holdfast({ watchdogMs })
  const lost: unknown[] = []
  holdfast.on('lost', (event) => lost.push(event))
  const read = holdfast.readWriteLock(name).readLock()
  const holds = await Promise.all(Array.from({ length: 50 }, () => read.acquire()))
  await place.pass(2.1 * watchdogMs)
  expect((await read.inspect()).owners).toHaveLength(50)
  expect(await place.holdfast().readWriteLock(name).writeLock().tryAcquire()).toBeNull()
  await Promise.all(holds.map((hold) => hold.release()))
  expect(lost).toEqual([])
  expect(await read.isLocked()).toBe(false)
})

test('testMultiInstanceReadLockZombieCleanup, testMultiInstanceZombieReadLockPerformance (H31): 60 holds of 20 dead readers are kept alive by nobody, and delay a writer by no more than their lease', async () => {
  const name = place.lockName()
  for (let instance = 0; instance < 20; instance += 1) {
    const dead = place.holdfast({ watchdogMs: 900 })
    const read = dead.readWriteLock(name).readLock()
    await Promise.all(Array.from({ length: 3 }, () => read.acquire()))
    await dead.close()
  }
  const lock = place.holdfast({ watchdogMs: place.lease(1_800) }).readWriteLock(name)
  const reader = await lock.readLock().acquire()
  await place.eventually(async () => (await lock.readLock().inspect()).owners.length === 1)
  await reader.release()
  // Redisson polls for the write lock, a second each time. The first attempt has to do.
  const writer = await lock.writeLock().tryAcquire()
  expect(writer).not.toBeNull()
  await writer?.release()
})

// Beyond the watchdog too: Redisson's read unlock ends the renewal of the write, which is known by the same name and thread.
test('testWR: a read released under a write leaves the write held, and renewed', async () => {
  const name = place.lockName()
  const watchdogMs = place.lease(1_800)
  const holdfast = place.holdfast({ watchdogMs })
  const lost: unknown[] = []
  holdfast.on('lost', (event) => lost.push(event))
  const { read, write } = sidesOf(holdfast.readWriteLock(name))
  await holdfast.run(async () => {
    await write.lock()
    await read.lock()
    await read.unlock()
    await place.pass(2 * watchdogMs)
    expect(await write.isHeld()).toBe(true)
    expect(await place.holdfast().readWriteLock(name).readLock().tryAcquire()).toBeNull()
    await write.unlock()
  })
  expect(lost).toEqual([])
})
