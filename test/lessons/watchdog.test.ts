/** What others' renewal got wrong, without the server failing. */
import { afterEach, expect, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

test('redisson#6844: whatever comes and goes at the same time, what stays is renewed', async () => {
  const holdfast = place.holdfast({ watchdogMs: place.lease(1_200) })
  const lost = journalOf(holdfast, 'lost')
  const names = Array.from({ length: 20 }, () => place.lockName())
  const renewals = new Map<string, number>()
  // Each name is let go of and taken again by many, all at once, and in the end kept by one.
  const kept = await Promise.all(
    names.map(async (name) => {
      const lock = holdfast.lock(name)
      await Promise.all(Array.from({ length: 10 }, () => lock.withLock(() => undefined)))
      const keeper = lock.acquire()
      const others = await Promise.all(Array.from({ length: 5 }, () => lock.tryAcquire()))
      for (const other of others) await other?.release()
      return await keeper
    }),
  )
  holdfast.on('renewed', ({ name }) => renewals.set(name, (renewals.get(name) ?? 0) + 1))
  await place.eventually(() => names.every((name) => (renewals.get(name) ?? 0) >= 5))
  for (const hold of kept) hold.assertHeld()
  expect(lost).toEqual([])
  for (const hold of kept) await hold.release()
  expect(holdfast.census.watched).toBe(0)
})

test('redis-semaphore#205: a renewal that meets the release is no loss', async () => {
  const watchdogMs = place.lease(900)
  const holdfast = place.holdfast({ watchdogMs })
  const lost = journalOf(holdfast, 'lost')
  const renewals = journalOf(holdfast, 'renewed')
  const names = Array.from({ length: 40 }, () => place.lockName())
  await Promise.all(
    names.map(async (name, index) => {
      for (let round = 0; round < 3; round += 1) {
        await holdfast.lock(name).withLock(() => place.pass(watchdogMs / 3 - 15 + ((index + round) % 40)))
      }
    }),
  )
  expect(lost).toEqual([])
  expect(renewals.length).toBeGreaterThan(0)
  expect(holdfast.census.tenures).toBe(0)
})
