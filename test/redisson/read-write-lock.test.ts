/** RedissonReadWriteLockTest, as far as it is about who may enter, under its names. */
import { describe, expect, test } from 'vitest'
import { tidiedPlace } from '../setup/places.js'
import { elsewhere, sidesOf } from './read-write-sides.js'

const place = tidiedPlace('standalone')

describe('reading and writing', () => {
  test('testReadLockIsLocked: not under a write, but once it reads too', async () => {
    const holdfast = place.holdfast()
    const { read, write } = sidesOf(holdfast.readWriteLock(place.lockName()))
    await holdfast.run(async () => {
      await write.lock()
      expect(await read.isLocked()).toBe(false)
      await read.lock()
      expect(await read.isLocked()).toBe(true)
      await write.unlock()
      expect(await read.isLocked()).toBe(true)
      await read.unlock()
      expect(await read.isLocked()).toBe(false)
    })
  })

  // Beyond the watchdog too: Redisson's read unlock ends the renewal of the write, which is known by the same name and thread.
  test('testWR: a read released under a write leaves the write held, and renewed', async () => {
    const name = place.lockName()
    const watchdogMs = place.lease(900)
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
      expect(await elsewhere(place, name).readLock().tryAcquire()).toBeNull()
      await write.unlock()
    })
    expect(lost).toEqual([])
  })
})
