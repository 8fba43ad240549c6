/** Redisson's concurrency tests, under its names, over data in Redis that nothing else protects. */
import { afterEach, expect, inject, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { placeOf } from '../setup/places.js'
import { Forked } from './forked.js'
import { UnguardedCounter } from './unguarded-counter.js'

const place = placeOf('standalone')

afterEach(async () => {
  await Forked.killAll()
  await place.tidy()
})

/** One thread's turn, as Redisson's tests take it. */
async function takeTurn(holdfast: Holdfast, name: string, counter: UnguardedCounter): Promise<void> {
  const lock = holdfast.lock(name)
  await holdfast.run(async () => {
    await lock.lock()
    try {
      await counter.section()
    } finally {
      await lock.unlock()
    }
  })
}

test('the counter does lose updates where no lock guards it: these tests can fail', async () => {
  const counter = new UnguardedCounter(place.client(), place.lockName())
  await Promise.all(Array.from({ length: 15 }, () => counter.section()))
  const { value, overlaps } = await counter.read()
  expect(value).toBeLessThan(15)
  expect(overlaps).toBeGreaterThan(0)
})

test('testConcurrency_SingleInstance: 15 threads of one instance', async () => {
  const name = place.lockName()
  const counter = new UnguardedCounter(place.client(), name)
  const holdfast = place.holdfast()
  await Promise.all(Array.from({ length: 15 }, () => takeTurn(holdfast, name, counter)))
  expect(await counter.read()).toEqual({ value: 15, overlaps: 0 })
  expect(await holdfast.lock(name).isLocked()).toBe(false)
})

test('testConcurrency_MultiInstance: 100 instances', async () => {
  const name = place.lockName()
  const counter = new UnguardedCounter(place.client(), name)
  const holdfasts = Array.from({ length: 100 }, () => place.holdfast())
  await Promise.all(holdfasts.map((holdfast) => takeTurn(holdfast, name, counter)))
  expect(await counter.read()).toEqual({ value: 100, overlaps: 0 })
})

test('testConcurrencyLoop_MultiInstance: 16 instances in 4 processes, 25 rounds each', async () => {
  const name = place.lockName()
  const counter = new UnguardedCounter(place.client(), name)
  const { host, port } = inject('servers').standalone
  const task = { server: { host, port }, name, clients: 4, rounds: 25 }
  const fixture = new URL('./sections.fixture.ts', import.meta.url)
  const children = Array.from({ length: 4 }, () => Forked.start(fixture, task))
  expect(await Promise.all(children.map((child) => child.told()))).toEqual(['done', 'done', 'done', 'done'])
  expect(await Promise.all(children.map((child) => child.ended()))).toEqual([0, 0, 0, 0])
  expect(await counter.read()).toEqual({ value: 400, overlaps: 0 })
}, 60_000)

test('testConcurrencyTryLockUnLock: whoever holds is renewed, however many come and go', async () => {
  const name = place.lockName()
  const counter = new UnguardedCounter(place.client(), name)
  const holdfast = place.holdfast({ watchdogMs: 1_500 })
  const lost: unknown[] = []
  let renewals = 0
  holdfast.on('lost', (event) => lost.push(event))
  holdfast.on('renewed', () => {
    renewals += 1
  })
  const lock = holdfast.lock(name)
  let obtained = 0
  const thread = async (): Promise<void> => {
    for (let round = 0; round < 20; round += 1) {
      await holdfast.run(async () => {
        if (!(await lock.tryLock({ waitMs: 15_000 }))) return
        obtained += 1
        expect(holdfast.census.watched).toBeGreaterThan(0)
        await counter.section()
        expect(holdfast.census.watched).toBeGreaterThan(0)
        await lock.unlock()
      })
    }
  }
  await Promise.all(Array.from({ length: 8 }, thread))
  expect(obtained).toBe(160)
  expect(await counter.read()).toEqual({ value: 160, overlaps: 0 })
  // And the last one, which stays, outlives its lease.
  const hold = await lock.acquire()
  const before = renewals
  await place.eventually(() => renewals >= before + 4)
  hold.assertHeld()
  await hold.release()
  expect(lost).toEqual([])
  expect(holdfast.census.watched).toBe(0)
})
