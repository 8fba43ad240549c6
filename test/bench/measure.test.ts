/** The arithmetic of the benchmark: what it makes of records. */
import { describe, expect, test } from 'vitest'
import { jainsIndex, sharesOf } from '../../bench/measure/fairness.js'
import { handOversOf } from '../../bench/measure/hand-overs.js'
import { median, percentile } from '../../bench/measure/percentile.js'
import { merge } from '../../bench/measure/records.js'
import { parseCalls, parseCpuMs, sentCommands } from '../../bench/measure/redis-side.js'

/** A section as the drivers record it: waiter, requested, entered, left. */
type Section = readonly [waiter: number, requestedAt: number, enteredAt: number, leftAt: number]

/** The records of some processes, each given as its sections. */
const recordsOf = (...processes: ReadonlyArray<readonly Section[]>) =>
  merge(processes.map((sections) => Float64Array.from(sections.flat())))

const FIRST: Section = [0, 0, 1, 2]

describe('percentiles', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index)

  test('are values that were seen', () => {
    expect(percentile(values, 0.5)).toBe(50)
    expect(percentile(values, 0.99)).toBe(99)
    expect(percentile(values, 1)).toBe(100)
    expect(percentile([7], 0.99)).toBe(7)
  })

  test('of nothing there are none', () => {
    expect(percentile([], 0.5)).toBeUndefined()
    expect(median([])).toBeUndefined()
  })

  test('the median of an even number lies between the two in the middle', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(median([10, 9, 200])).toBe(10)
  })
})

describe("Jain's index", () => {
  test('is 1 when all get the same, 1/n when one gets all', () => {
    expect(jainsIndex([3, 3, 3, 3])).toBe(1)
    expect(jainsIndex([12, 0, 0, 0])).toBe(0.25)
    expect(jainsIndex([2, 1, 0, 0])).toBeCloseTo(9 / 20)
  })

  test('says nothing where nobody got anything', () => {
    expect(jainsIndex([0, 0])).toBeUndefined()
    expect(jainsIndex([])).toBeUndefined()
  })
})

describe('hand-overs', () => {
  test('are gaps in order of entering, whichever process wrote first', () => {
    const records = recordsOf([FIRST, [1, 0, 6, 7]], [[2, 0, 3, 5]])
    expect(handOversOf(records)).toEqual({ gapsMs: [1, 1], betweenProcessesMs: [1, 1], overlaps: 0 })
  })

  test('tell those within a process from those between two', () => {
    const records = recordsOf([FIRST, [1, 0, 2.5, 3]], [[2, 0, 5, 6]])
    expect(handOversOf(records)).toEqual({ gapsMs: [0.5, 2], betweenProcessesMs: [2], overlaps: 0 })
  })

  test('two sections at once are an overlap, also with the one before the last', () => {
    const records = recordsOf(
      [[0, 0, 1, 10]],
      [
        [1, 0, 2, 3],
        [2, 0, 9, 12],
      ],
    )
    expect(handOversOf(records).overlaps).toBe(2)
  })

  test('what the clocks of two processes may differ by is no overlap', () => {
    const records = recordsOf([FIRST], [[1, 0, 1.99, 3]])
    expect(handOversOf(records)).toEqual({ gapsMs: [0], betweenProcessesMs: [0], overlaps: 0 })
    expect(handOversOf(recordsOf([FIRST, [1, 0, 1.99, 3]])).overlaps).toBe(1)
  })

  test('end where they are told to', () => {
    expect(handOversOf(recordsOf([FIRST, [0, 2, 3, 4], [0, 4, 9, 10]]), 5).gapsMs).toEqual([1])
  })
})

describe('shares', () => {
  test('of a loop: sections that were entered in time, and who got none', () => {
    const records = recordsOf([FIRST, [0, 2, 3, 4], [1, 0, 5, 6], [1, 6, 12, 13]])
    const shares = sharesOf(records, 3, { from: 0, to: 10, again: true })
    // The third has waited from beginning to end.
    expect(shares).toMatchObject({ perWaiter: [2, 1, 0], starved: 1, worstWaitMs: 10 })
  })

  test('of a burst: whoever is through waits no more', () => {
    const records = recordsOf([FIRST, [1, 0, 3, 4]])
    const shares = { perWaiter: [1, 1], jain: 1, starved: 0, worstWaitMs: 3 }
    expect(sharesOf(records, 2, { from: 0, to: 4, again: false })).toEqual(shares)
  })
})

describe("the server's counters", () => {
  test('are read from INFO', () => {
    const info =
      '# Commandstats\r\ncmdstat_evalsha:calls=38,usec=1\r\ncmdstat_config|resetstat:calls=1,usec=9\r\n'
    expect(parseCalls(info)).toEqual({ evalsha: 38, 'config|resetstat': 1 })
    const cpu = '# CPU\r\nused_cpu_sys:1.5\r\nused_cpu_user:0.25\r\nused_cpu_sys_children:9\r\n'
    expect(parseCpuMs(cpu)).toBe(1_750)
  })

  test('tell what clients sent from what scripts called', () => {
    const calls = { evalsha: 38, subscribe: 1, unsubscribe: 1, del: 20, publish: 10, exists: 28, set: 10 }
    expect(sentCommands('redisson', calls)).toBe(50)
    expect(sentCommands('redsync', { evalsha: 19, set: 19, get: 19, del: 10 })).toBe(38)
    expect(sentCommands('rueidislock', { evalsha: 37, set: 27, get: 37, del: 10 })).toBe(37)
  })
})
