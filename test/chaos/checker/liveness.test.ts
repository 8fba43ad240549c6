import { describe, expect, test } from 'vitest'
import type { Told } from '../history/event.js'
import { Room } from '../history/room.js'
import { Standstills } from '../history/standstills.js'
import { checkFences } from './fences.js'
import { checkIdleness } from './idleness.js'
import { checkLateness } from './lateness.js'
import { checkLineOrder } from './line-order.js'
import { checkLosses } from './losses.js'
import { checkOutages } from './outages.js'
import { checkStarvation } from './starvation.js'
import { call, fault, historyOf, told } from './told.js'

type Line = readonly [t: number, told: Told]
const still = new Standstills(historyOf({}))
const promises = { storeTimeoutMs: 2_000, commandTimeoutMs: 500, graceMs: 100 }

/** A call at a time, its entry, its exit, which is its end. */
function section(
  c: number,
  [called, entered, ended]: [number, number, number],
  but: Parameters<typeof call>[1] = {},
): Line[] {
  return [
    [called, call(c, but)],
    [entered, { e: 'enter', c, left: 1_000 }],
    [ended, { e: 'exit', c }],
    [ended, { e: 'done', c, how: 'ok' }],
  ]
}

describe('lateness', () => {
  const late = (lines: Line[], standstills = still) =>
    checkLateness(told({ w: lines }), standstills, promises).length

  test('a wait that ends in time is good, one that does not is late', () => {
    const wait = (endsAt: number): Line[] => [
      [0, call(1, { waitMs: 1_000 })],
      [endsAt, { e: 'fail', c: 1, how: 'lock_timeout' }],
    ]
    expect(late(wait(1_050))).toBe(0)
    expect(late(wait(1_200))).toBe(1)
  })

  test('an abort bounds a wait without end', () => {
    expect(
      late([
        [0, call(1, { abortMs: 100 })],
        [900, { e: 'fail', c: 1, how: 'aborted' }],
      ]),
    ).toBe(1)
  })

  test('one attempt has as long as the store may take', () => {
    expect(
      late([
        [0, call(1, { waitMs: 0 })],
        [2_050, { e: 'fail', c: 1, how: 'store:timeout' }],
      ]),
    ).toBe(0)
  })

  test('a release has its bound, too', () => {
    const released = (at: number): Line[] => [
      ...section(1, [0, 1, 2]).slice(0, 3),
      [at, { e: 'done', c: 1, how: 'store:timeout' }],
    ]
    expect(late(released(2_500))).toBe(0)
    expect(late(released(2_700))).toBe(1)
  })
})

test('a call that waits for a silent store gives up in time, one behind its own process may wait', () => {
  const faults = [fault(100, 9_000, { cutsOff: true, silences: 'w' })]
  const waits = (until: number): Line[] => [
    [0, call(1)],
    [until, { e: 'fail', c: 1, how: 'store:timeout' }],
  ]
  const late = (lines: Line[], others: Line[] = []) =>
    checkOutages(told({ w: lines, other: others }), faults, still, promises, (leaseMs = 1_000) => leaseMs)
      .length
  expect(late(waits(2_600))).toBe(0)
  expect(late(waits(2_800))).toBe(1)
  expect(late([...waits(8_000), ...section(2, [0, 50, 7_000])])).toBe(0)
  // It asks when the lease that it saw has ended.
  const others = section(2, [0, 50, 7_000])
  expect(late(waits(3_600), others)).toBe(0)
  expect(late(waits(3_800), others)).toBe(1)
})

describe('idleness', () => {
  const bounds = { slowMs: 0, idleMs: 500, lastsMs: () => 3_000 }
  const idle = (lines: Record<string, Line[]>, more: Parameters<typeof historyOf>[1] = {}) => {
    const { findings, longestMs } = checkIdleness(
      told(lines, more),
      more.faults ?? [],
      still,
      new Room(historyOf(lines)),
      10_000,
      bounds,
    )
    return { found: findings.length, longest: longestMs['lock'] }
  }

  test('what is free beside a waiter for too long is found', () => {
    expect(idle({ one: section(1, [0, 1, 100]), two: section(1, [50, 300, 400]) })).toEqual({
      found: 0,
      longest: 200,
    })
    expect(idle({ one: section(1, [0, 1, 100]), two: section(1, [50, 900, 990]) })).toEqual({
      found: 1,
      longest: 800,
    })
  })
})

describe('order, starvation, tokens, losses', () => {
  const fair = { kind: 'fair' }

  test('who stands in line enters before whoever calls later', () => {
    const first = (entered: number): Line[] => [
      ...section(1, [0, entered, entered + 1], fair),
      [5, { e: 'wait', c: 1 }],
    ]
    const second = section(1, [10, 40, 45], fair)
    expect(checkLineOrder(told({ one: first(30), two: second }), still, 100)).toEqual([])
    expect(checkLineOrder(told({ one: first(50), two: second }), still, 100)).toHaveLength(1)
  })

  test('who waits while hundreds enter starves', () => {
    const others = Array.from({ length: 200 }, (_, index) => {
      const at = 10 + index * 30
      return section(index + 2, [at, at + 1, at + 2])
    }).flat()
    const lines = { one: section(1, [0, 6_500, 6_600]), two: others }
    const starved = (...faults: Parameters<typeof checkStarvation>[1][number][]): number =>
      checkStarvation(told(lines), faults, still, 10_000, false).length
    expect(starved()).toBe(1)
    expect(starved(fault(0, 3_000, { cutsOff: true }))).toBe(0)
  })

  test('tokens grow with each tenure, and only where they may be lost they begin anew', () => {
    const minted = (c: number, at: number, fence: string): Line[] => [
      [at, call(c, { kind: 'fenced' })],
      [at + 1, { e: 'enter', c, left: 100, fence }],
      [at + 2, { e: 'exit', c }],
    ]
    const grows = told({ w: [...minted(1, 0, '7'), ...minted(2, 10, '8')] })
    const stands = told({ w: [...minted(1, 0, '7'), ...minted(2, 10, '7')] })
    expect(checkFences(grows, [])).toEqual([])
    expect(checkFences(stands, [])).toHaveLength(1)
    expect(checkFences(stands, [fault(5, 6, { loses: 'all' })])).toEqual([])
  })

  test('a watched hold that is lost although nothing happened is wrong, a leased one is not', () => {
    const lost = (but: Parameters<typeof call>[1]): Line[] => [
      ...section(1, [0, 1, 100], but),
      [50, { e: 'lost', c: 1 }],
    ]
    expect(checkLosses(told({ w: lost({}) }), still)).toHaveLength(1)
    expect(checkLosses(told({ w: lost({ leaseMs: 49 }) }), still)).toEqual([])
  })

  test('whose process stands still counts for all where the processes are the store', () => {
    const lines = { w: section(1, [0, 1, 100]), other: [[50, { e: 'lag', ms: 40 }]] } satisfies Record<
      string,
      Line[]
    >
    const stood = (ofAll: boolean) => new Standstills(historyOf(lines), ofAll).during('w', 0, 100)
    expect([stood(false), stood(true)]).toEqual([0, 40])
  })
})
