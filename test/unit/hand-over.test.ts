import { describe, expect, test } from 'vitest'
import type { Lock } from '../../src/index.js'
import { duringEach } from '../setup/during.js'
import { Processes, runs, withoutTime } from './processes.js'

/** What bounds hand-over within a process, in virtual time. */

const processes = duringEach(() => new Processes())

/** Lets time pass, a millisecond at a time, until the work is done. */
async function inVirtualTime<Value>(work: Promise<Value>): Promise<Value> {
  let done = false
  const settled = work.finally(() => {
    done = true
  })
  settled.catch(() => undefined)
  for (let step = 0; !done && step < 10_000; step += 1) await processes.clock.advance(1)
  return await settled
}

const pass = (ms: number): Promise<void> => new Promise((resolve) => processes.clock.startTimer(resolve, ms))

/** Sections of several clients that queue for one lock from the start; who was in, in order. */
async function contend(
  clients: Readonly<Record<string, Lock>>,
  sections: number,
  sectionMs: number,
): Promise<string[]> {
  const log: string[] = []
  await inVirtualTime(
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
  test('after maxHandOvers the other client gets the lock next; nobody starves', async () => {
    const bound = { maxHandOvers: 3, handOverSliceMs: Number.POSITIVE_INFINITY }
    const log = await contend({ here: processes.client(bound), there: processes.client(bound) }, 12, 1)
    expect(log.filter((who) => who === 'here')).toHaveLength(12)
    // The first to get it makes one acquisition and three hand-overs, and so does everyone after that.
    expect(runs(log).map(([, length]) => length)).toEqual([4, 4, 4, 4, 4, 4])
  })

  test('when the time slice is over the other client gets the lock next; nobody starves', async () => {
    const bound = { handOverSliceMs: 25, maxHandOvers: Number.POSITIVE_INFINITY }
    const log = await contend({ here: processes.client(bound), there: processes.client(bound) }, 9, 10)
    // It is over in the third section of ten milliseconds, which is the last.
    expect(runs(log).map(([, length]) => length)).toEqual([3, 3, 3, 3, 3, 3])
  })

  test('the slice begins with the acquisition, not with the first hand-over', async () => {
    const [here, there] = [processes.client({ handOverSliceMs: 25 }), processes.client()]
    const first = await here.acquire()
    const order: string[] = []
    const own = here.withLock(() => order.push('here'))
    const other = there.withLock(() => order.push('there'))
    await processes.clock.advance(25)
    await first.release()
    await inVirtualTime(Promise.all([own, other]))
    expect(order).toEqual(['there', 'here'])
  })

  test.each([2, 3, 5])('of %i clients that come again and again each gets its share', async (clients) => {
    const UNTIL_MS = 2_000
    const counts = new Array<number>(clients).fill(0)
    const loops = counts.map(async (_, index) => {
      const lock = processes.client()
      const loop = async (): Promise<void> => {
        while (processes.clock.now() < UNTIL_MS) {
          await lock.withLock(async () => {
            counts[index] = (counts[index] ?? 0) + 1
            await pass(1)
          })
        }
      }
      await Promise.all([loop(), loop(), loop(), loop()])
    })
    await inVirtualTime(Promise.all(loops))
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
    const sections = Array.from({ length: 20 }, () =>
      lock.withLock(terms, () => {
        entered += 1
      }),
    )
    await withoutTime()
    expect(entered).toBe(20)
    await Promise.all(sections)
    expect(processes.clock.now()).toBe(0)
    expect(processes.made.map(({ census }) => census.tenures)).toEqual([0])
  })
})
