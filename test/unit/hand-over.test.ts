import { describe, expect, test } from 'vitest'
import type { Lock } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { inVirtualTime, passing } from './in-virtual-time.js'
import { Processes, runs, withoutTime } from './processes.js'

/** What bounds hand-over within a process, in virtual time. */

const processes = duringEach(() => new Processes())

const pass = (ms: number): Promise<void> => passing(processes.clock, ms)

/** Sections of several clients that queue for one lock from the start; who was in, in order. */
async function contend(
  clients: Readonly<Record<string, Lock>>,
  sections: number,
  sectionMs: number,
): Promise<string[]> {
  const log: string[] = []
  await inVirtualTime(
    processes.clock,
    Promise.all(
      Object.entries(clients).flatMap(([who, lock]) =>
        Array.from({ length: sections }, () =>
          lock.withLock(async () => {
            log.push(who)
            if (sectionMs > 0) await pass(sectionMs)
          }),
        ),
      ),
    ),
  )
  return log
}

describe('hand-over is bounded', () => {
  test.each([
    // The first to get it makes one acquisition and three hand-overs, and so does everyone after that.
    {
      what: 'after maxHandOvers',
      bound: { maxHandOvers: 3, handOverSliceMs: Number.POSITIVE_INFINITY },
      ms: 1,
      run: 4,
    },
    // It is over in the third section of ten milliseconds, which is the last.
    {
      what: 'when the slice is over',
      bound: { handOverSliceMs: 25, maxHandOvers: Number.POSITIVE_INFINITY },
      ms: 10,
      run: 3,
    },
  ])('$what the other client gets the lock next; nobody starves', async ({ bound, ms, run }) => {
    const log = await contend({ here: processes.client(bound), there: processes.client(bound) }, 3 * run, ms)
    expect(runs(log).map(([, length]) => length)).toEqual(Array(6).fill(run))
  })

  test('the slice begins with the acquisition, not with the first hand-over', async () => {
    const [here, there] = [processes.client({ handOverSliceMs: 25 }), processes.client()]
    const first = await here.acquire()
    const order: string[] = []
    const own = here.withLock(() => order.push('here'))
    const other = there.withLock(() => order.push('there'))
    await processes.clock.advance(25)
    await first.release()
    await inVirtualTime(processes.clock, Promise.all([own, other]))
    expect(order).toEqual(['there', 'here'])
  })

  test.each([2, 3, 5])('of %i clients that come again and again each gets its share', async (clients) => {
    const counts = Array<number>(clients).fill(0)
    const loops = counts.flatMap((_, index) => {
      const lock = processes.client()
      return [1, 2, 3, 4].map(async () => {
        while (processes.clock.now() < 2_000)
          await lock.withLock(async () => {
            counts[index] = (counts[index] ?? 0) + 1
            await pass(1)
          })
      })
    })
    await inVirtualTime(processes.clock, Promise.all(loops))
    expect(Math.min(...counts)).toBeGreaterThan(0.6 * Math.max(...counts))
  })

  test.each([
    { bound: { maxHandOvers: 3 }, terms: {} },
    { bound: { maxHandOvers: 0 }, terms: {} },
    { bound: { handOverSliceMs: 0 }, terms: {} },
    { bound: { maxHandOvers: 3 }, terms: { leaseMs: 60_000 } },
  ])('with nobody else waiting it goes on at once ($bound, $terms)', async ({ bound, terms }) => {
    const lock = processes.client(bound)
    let entered = 0
    const sections = Array.from({ length: 20 }, () => lock.withLock(terms, () => (entered += 1)))
    await withoutTime()
    expect(entered).toBe(20)
    await Promise.all(sections)
    expect(processes.clock.now()).toBe(0)
    expect(processes.made.map(({ census }) => census.tenures)).toEqual([0])
  })
})
