/** redisson#1966, #1602, #2714, #4368, #5115: what nobody is left to release must not be renewed. */
import { afterEach, expect, test } from 'vitest'
import { LockTimeoutError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

test('redisson#2714: a wait that timed out is not renewed for', async () => {
  const name = place.lockName()
  const hold = await place.holdfast().lock(name).acquire()
  const waiting = place.holdfast({ watchdogMs: 600 })
  const renewed: unknown[] = []
  waiting.on('renewed', (event) => renewed.push(event))
  await expect(waiting.lock(name).acquire({ waitMs: 60 })).rejects.toThrow(LockTimeoutError)
  await hold.release()
  await place.pass(500)
  expect(renewed).toEqual([])
  expect(await waiting.lock(name).isLocked()).toBe(false)
  expect(waiting.census.watched).toBe(0)
})

test('redisson#1966: a wait that was aborted at any moment leaves no lock that lives on', async () => {
  const holding = place.holdfast()
  const waiting = place.holdfast({ watchdogMs: 600 })
  const client = place.client()
  const prefix = place.lockName()
  await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const name = `${prefix}:${index}`
      const hold = await holding.lock(name).acquire()
      const abort = new AbortController()
      const attempt = waiting.lock(name).acquire({ signal: abort.signal })
      await place.eventually(() => holding.lock(name).countWaitingClients())
      // The grant and the abort are both on their way.
      const released = hold.release()
      if (index % 2) await new Promise((resolve) => setImmediate(resolve))
      abort.abort(new Error('enough'))
      await attempt.then(
        (late) => late.release(),
        () => undefined,
      )
      await released
    }),
  )
  await place.eventually(() => waiting.census.orphans === 0)
  expect(waiting.census.watched).toBe(0)
  for (let index = 0; index < 30; index += 1)
    expect(await client.call('EXISTS', `${prefix}:${index}`)).toBe(0)
})

test('redisson#1602: a run that ends without unlock is told of, and its lock ends with its lease', async () => {
  const holdfast = place.holdfast({ watchdogMs: 1_200 })
  const lock = holdfast.lock(place.lockName())
  const warnings: string[] = []
  holdfast.on('warning', ({ code }) => warnings.push(code))
  const failing = holdfast.run(async () => {
    await lock.lock()
    throw new Error('the task died')
  })
  await expect(failing).rejects.toThrow('the task died')
  expect(warnings).toEqual(['LEFT_LOCKED'])
  const next = await place.holdfast().lock(lock.name).acquire({ waitMs: 5_000 })
  await next.release()
  await place.eventually(() => holdfast.census.tenures === 0)
})

test('redisson#5115, #4368: maxHoldMs ends a hold whose task hangs', async () => {
  const holdfast = place.holdfast({ watchdogMs: 1_200 })
  const lock = holdfast.lock(place.lockName())
  const hold = await lock.acquire({ maxHoldMs: 2_000 })
  const startedAt = performance.now()
  const next = await place.holdfast().lock(lock.name).acquire({ waitMs: 10_000 })
  // Renewed for as long as that, and for no longer.
  expect(performance.now() - startedAt).toBeGreaterThan(1_300)
  expect(hold.signal.aborted).toBe(true)
  expect(() => hold.assertHeld()).toThrow('was lost')
  await next.release()
})
