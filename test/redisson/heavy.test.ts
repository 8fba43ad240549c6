/** RedissonLockHeavyTest: many threads come and go over a few locks, and all of it completes. */
import { afterEach, expect, test } from 'vitest'
import { placeOf } from '../setup/places.js'
import { UnguardedCounter } from './unguarded-counter.js'

const LOCKS = 4
const THREADS = 12
const ROUNDS = 20
const place = placeOf('standalone')

afterEach(() => place.tidy())

function prepare() {
  const names = Array.from({ length: LOCKS }, () => place.lockName())
  const client = place.client()
  const counters = names.map((name) => new UnguardedCounter(client, name))
  const holdfasts = [place.holdfast({ watchdogMs: 3_000 }), place.holdfast({ watchdogMs: 3_000 })]
  return { names, counters, holdfasts }
}

/** Every thread visits the locks in turn, from a start of its own. */
async function churn(
  { names, counters, holdfasts }: ReturnType<typeof prepare>,
  take: 'lock' | 'tryLock',
): Promise<number> {
  let sections = 0
  const threads = Array.from({ length: THREADS }, async (_, thread) => {
    const holdfast = holdfasts[thread % holdfasts.length]
    for (let round = 0; round < ROUNDS; round += 1) {
      const index = (thread + round) % LOCKS
      const lock = holdfast?.lock(names[index] ?? '')
      const counter = counters[index]
      await holdfast?.run(async () => {
        if (take === 'lock') await lock?.lock()
        else if (!(await lock?.tryLock())) return
        sections += 1
        await counter?.section()
        await lock?.unlock()
      })
    }
  })
  await Promise.all(threads)
  return sections
}

async function total(counters: readonly UnguardedCounter[]): Promise<{ value: number; overlaps: number }> {
  const all = await Promise.all(counters.map((counter) => counter.read()))
  return {
    value: all.reduce((sum, { value }) => sum + value, 0),
    overlaps: all.reduce((sum, { overlaps }) => sum + overlaps, 0),
  }
}

test('lockUnlockRLock: every lock() gets its turn', async () => {
  const fleet = prepare()
  expect(await churn(fleet, 'lock')).toBe(THREADS * ROUNDS)
  expect(await total(fleet.counters)).toEqual({ value: THREADS * ROUNDS, overlaps: 0 })
})

test('tryLockUnlockRLock: those refused go on, those let in are alone', async () => {
  const fleet = prepare()
  const sections = await churn(fleet, 'tryLock')
  expect(sections).toBeGreaterThan(0)
  expect(await total(fleet.counters)).toEqual({ value: sections, overlaps: 0 })
  for (const name of fleet.names) expect(await fleet.holdfasts[0]?.lock(name).isLocked()).toBe(false)
})
