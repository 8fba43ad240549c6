/** One lock of locks of several clients, each with a clock and a schedule of its own. */
import { expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/stores/memory/index.js'
import { endOf } from './in-virtual-time.js'

test('L3, W5: leases begin together, each by the clock of its client, and no other time is lost over it', async () => {
  const clocks = [new VirtualClock(), new VirtualClock()] as const
  const [here, there] = clocks
  await here.advance(3_600_000)
  const [store, theirs] = [new MemoryStore(here), new MemoryStore(there)]
  const [one, two] = [new Holdfast(store), new Holdfast(theirs)]
  const [others, theirOthers] = [new Holdfast(store), new Holdfast(theirs)]
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 1) for (const clock of clocks) await clock.advance(1)
  }
  await others.lock('busy').acquire()
  await theirOthers.lock('busy').acquire()
  const before = await theirOthers.lock('b').acquire()
  const waits = [one, two].flatMap((client, index) =>
    Array.from({ length: 12 }, (_, nth) =>
      endOf(index === 0 ? here : there, client.lock('busy').tryAcquire({ waitMs: 9_000 + 100 * nth })),
    ),
  )
  const taking = endOf(here, one.multiLock([one.lock('a'), two.lock('b')]).acquire({ leaseMs: 3_000 }))
  await pass(5_000)
  expect(taking.at).toBeUndefined()
  await before.release()
  await pass(10)
  const hold = taking.value
  if (!hold) throw new Error('it was not granted')
  expect(hold.remainingMs()).toBeGreaterThan(2_800)
  await pass(2_000)
  expect(await theirOthers.lock('b').tryAcquire()).toBeNull()
  hold.assertHeld()
  await pass(1_100)
  expect(hold.signal.aborted).toBe(true)
  expect([one, two].map(({ census }) => census.tenures)).toEqual([0, 0])
  await pass(5_000)
  expect(waits.map(({ at, value }) => [at, value])).toEqual(
    [3_600_000, 0].flatMap((from) =>
      Array.from({ length: 12 }, (_, nth) => [from + 9_000 + 100 * nth, null]),
    ),
  )
})
