import { expect, test } from 'vitest'
import { tidiedPlace } from '../setup/places.js'
import { sidesOf } from './read-write-sides.js'

const place = tidiedPlace('standalone')

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
    expect(await place.holdfast().readWriteLock(name).readLock().tryAcquire()).toBeNull()
    await write.unlock()
  })
  expect(lost).toEqual([])
})
