/** Redisson's lock tests about time, under its names, with shorter leases. */
import { afterEach, expect, inject, test } from 'vitest'
import { placeOf } from '../setup/places.js'
import { Forked } from './forked.js'

/** What two busy cores may add to any time that is measured here. */
const SLACK_MS = 2_000
const place = placeOf('standalone')

afterEach(async () => {
  await Forked.killAll()
  await place.tidy()
})

test("testAutoExpire: a killed process's lock goes within the watchdog's lease", async () => {
  const name = place.lockName()
  const watchdogMs = 1_500
  const { standalone } = inject('servers')
  const child = Forked.start(new URL('./holder.fixture.ts', import.meta.url), {
    server: { host: standalone.host, port: standalone.port },
    name,
    watchdogMs,
  })
  const holder = await child.told()
  const lock = place.holdfast().lock(name)
  const { owners } = await lock.inspect()
  expect(owners).toMatchObject([{ owner: holder, holds: 1 }])
  // Alive, it outlives its lease.
  await place.pass(watchdogMs + 200)
  expect(await lock.isLocked()).toBe(true)
  await child.kill()
  const killedAt = performance.now()
  const hold = await lock.acquire({ waitMs: 10_000 })
  expect(performance.now() - killedAt).toBeLessThan(watchdogMs + SLACK_MS)
  await hold.release()
})

test('testRemainTimeToLive: a leased lock, a free one (0 where Redisson says -2), a watched one', async () => {
  const holdfast = place.holdfast()
  const lock = holdfast.lock(place.lockName())
  const hour = 3_600_000
  await holdfast.run(async () => {
    await lock.lock({ leaseMs: hour })
    expect(await lock.remainingMs()).toBeGreaterThan(hour - SLACK_MS)
    expect(await lock.remainingMs()).toBeLessThanOrEqual(hour)
    await lock.unlock()
    expect(await lock.remainingMs()).toBe(0)
    // The lease of the hold before is nobody's any more: the watchdog's default applies.
    await lock.lock()
    expect(await lock.remainingMs()).toBeGreaterThan(30_000 - SLACK_MS)
    expect(await lock.remainingMs()).toBeLessThanOrEqual(30_000)
    await lock.unlock()
    expect(await lock.remainingMs()).toBe(0)
  })
})

// Redisson sets the time to live to the latest lease at each partial unlock. Here a partial release leaves it as it is (rule
// L2), so that no unlock can shorten what an enclosing section was given, nor lengthen it.
test('testRemainTimeToLive2: of three leased locks two unlocks leave the time left exactly as it is', async () => {
  const holdfast = place.holdfast()
  const lock = holdfast.lock(place.lockName())
  const client = place.client()
  await holdfast.run(async () => {
    await lock.lock({ leaseMs: 60_000 })
    await lock.lock({ leaseMs: 10_000 })
    await lock.lock({ leaseMs: 10_000 })
    const endsAt = await client.call('PEXPIRETIME', lock.name)
    expect(await lock.remainingMs()).toBeGreaterThan(60_000 - SLACK_MS)
    await lock.unlock()
    await lock.unlock()
    expect(await lock.holdCount()).toBe(1)
    expect(await client.call('PEXPIRETIME', lock.name)).toEqual(endsAt)
    await lock.unlock()
    expect(await lock.remainingMs()).toBe(0)
  })
})
