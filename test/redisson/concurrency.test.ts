/** Redisson's concurrency tests, under its names, over data in Redis that nothing else protects. */
import { describe, expect, inject, test } from 'vitest'
import { handleOf, type PermitsKind } from '../../src/conformance/permits-handle.js'
import type { Holdfast, Lock } from '../../src/index.js'
import { tidiedPlace } from '../setup/places.js'
import { Forked } from './forked.js'
import { UnguardedCounter } from './unguarded-counter.js'

const place = tidiedPlace('standalone')

/** Has a section of that kind: as one thread takes its turn in Redisson's tests. */
type Turn = (holdfast: Holdfast, name: string, section: () => Promise<void>) => Promise<void>

/** Nested, so that the count goes up and down meanwhile. */
function turnOf(lockOf: (holdfast: Holdfast, name: string) => Lock): Turn {
  return async (holdfast, name, section) => {
    const lock = lockOf(holdfast, name)
    await holdfast.run(async () => {
      await lock.lock()
      await lock.lock()
      try {
        await section()
      } finally {
        await lock.unlock()
        await lock.unlock()
      }
    })
  }
}

/** With the one permit that there is. */
function turnWithPermit(kind: PermitsKind): Turn {
  return (holdfast, name, section) => handleOf(holdfast, kind, name, 1).withLock(section)
}

test('the counter does lose updates where no lock guards it: these tests can fail', async () => {
  const counter = new UnguardedCounter(place.client(), place.lockName())
  await Promise.all(Array.from({ length: 15 }, () => counter.section()))
  const { value, overlaps } = await counter.read()
  expect(value).toBeLessThan(15)
  expect(overlaps).toBeGreaterThan(0)
})

/** Each kind that Redisson tests so, how its sections are had, and how many instances are there at once. */
const kinds: ReadonlyArray<[string, Turn, number]> = [
  ['lock', turnOf((holdfast, name) => holdfast.lock(name)), 100],
  ['fair lock', turnOf((holdfast, name) => holdfast.fairLock(name)), 100],
  ['spin lock', turnOf((holdfast, name) => holdfast.spinLock(name)), 100],
  ['write lock', turnOf((holdfast, name) => holdfast.readWriteLock(name).writeLock()), 40],
  ['semaphore', turnWithPermit('semaphore'), 30],
  ['permit-expirable semaphore', turnWithPermit('permitExpirableSemaphore'), 30],
]

describe.each(kinds)('%s', (_kind, turn, most) => {
  test.each([
    ['testConcurrency_SingleInstance', 1, 15, 1],
    ['testConcurrency_MultiInstance, testConcurrency_MultiInstance_1_permits', most, 1, 1],
    ['testConcurrencyLoop_MultiInstance', 16, 1, 20],
  ])(
    '%s: of %i instances, with %i threads each, no update is lost',
    async (_name, instances, threads, rounds) => {
      const name = place.lockName()
      const counter = new UnguardedCounter(place.client(), name)
      const holdfasts = Array.from({ length: instances }, () => place.holdfast())
      const turns = holdfasts.flatMap((holdfast) =>
        Array.from({ length: threads }, async () => {
          for (let round = 0; round < rounds; round += 1) await turn(holdfast, name, () => counter.section())
        }),
      )
      await Promise.all(turns)
      expect(await counter.read()).toEqual({ value: instances * threads * rounds, overlaps: 0 })
      const calls = holdfasts.map(({ census }) => census.calls)
      expect(calls.filter((count) => count > 0)).toEqual([])
    },
    60_000,
  )
})

test('testConcurrencyLoop_MultiInstance, in processes: 16 instances in 4 of them, 25 rounds each', async () => {
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
  const holdfast = place.holdfast({ watchdogMs: place.lease(1_500) })
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
