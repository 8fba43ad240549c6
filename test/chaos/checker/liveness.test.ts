import { describe, expect, test } from 'vitest'
import { Standstills } from '../history/standstills.js'
import { checkIdleness } from './idleness.js'
import { checkLateness, checkOutages } from './lateness.js'
import { call, fault, historyOf, type Line, type Lines, section, trial } from './told.js'
import { checkFences, checkLineOrder, checkLosses, checkStarvation } from './turns.js'

const promises = { storeTimeoutMs: 2_000, commandTimeoutMs: 500, graceMs: 100 }

function fails(c: number, at: number, how: string, but: Parameters<typeof call>[1] = {}): Line[] {
  return [
    [0, call(c, but)],
    [at, { e: 'fail', c, how }],
  ]
}

describe('lateness', () => {
  const late = (w: readonly Line[]) => checkLateness(trial({ w }), promises).length
  const released = (at: number): Line[] => [
    ...section(1, [0, 1, 2]).slice(0, 3),
    [at, { e: 'done', c: 1, how: 'store:timeout' }],
  ]

  test.each<[title: string, lines: Line[], found: number]>([
    ['a wait that ends in time is good', fails(1, 1_050, 'lock_timeout', { waitMs: 1_000 }), 0],
    ['one that does not is late', fails(1, 1_200, 'lock_timeout', { waitMs: 1_000 }), 1],
    ['an abort bounds a wait without end', fails(1, 900, 'aborted', { abortMs: 100 }), 1],
    ['one attempt has as long as the store may take', fails(1, 2_050, 'store:timeout', { waitMs: 0 }), 0],
    ['a release in time is good', released(2_500), 0],
    ['a release has its bound, too', released(2_700), 1],
  ])('%s', (_, lines, found) => expect(late(lines)).toBe(found))
})

test('a call that waits for a silent store gives up in time, one behind its own process may wait', () => {
  const faults = [fault(100, 9_000, { cutsOff: true, silences: 'w' })]
  const waits = (until: number): Line[] => fails(1, until, 'store:timeout')
  const late = (w: Line[], other: Line[] = []) =>
    checkOutages(trial({ w, other }, faults), promises, (leaseMs = 1_000) => leaseMs).length
  expect(late(waits(2_600))).toBe(0)
  expect(late(waits(2_800))).toBe(1)
  expect(late([...waits(8_000), ...section(2, [0, 50, 7_000])])).toBe(0)
  // It asks when the lease that it saw has ended.
  const others = section(2, [0, 50, 7_000])
  expect(late(waits(3_600), others)).toBe(0)
  expect(late(waits(3_800), others)).toBe(1)
})

test.each([
  [300, { found: 0, longest: 200 }],
  [900, { found: 1, longest: 800 }],
])('what is free beside a waiter until %i is found if that is too long', (entered, verdict) => {
  const workers = { one: section(1, [0, 1, 100]), two: section(1, [50, entered, entered + 90]) }
  const bounds = { slowMs: 0, idleMs: 500, lastsMs: () => 3_000 }
  const { findings, longestMs } = checkIdleness(trial(workers), bounds)
  expect({ found: findings.length, longest: longestMs['lock'] }).toEqual(verdict)
})

describe('order, starvation, tokens, losses', () => {
  const fair = { kind: 'fair' }

  test('who stands in line enters before whoever calls later', () => {
    const first = (entered: number): Line[] => [
      ...section(1, [0, entered, entered + 1], fair),
      [5, { e: 'wait', c: 1 }],
    ]
    const second = section(1, [10, 40, 45], fair)
    expect(checkLineOrder(trial({ one: first(30), two: second }), 100)).toEqual([])
    expect(checkLineOrder(trial({ one: first(50), two: second }), 100)).toHaveLength(1)
  })

  test('who waits while hundreds enter starves', () => {
    const others = Array.from({ length: 200 }, (_, index) => {
      const at = 10 + index * 30
      return section(index + 2, [at, at + 1, at + 2])
    }).flat()
    const lines = { one: section(1, [0, 6_500, 6_600]), two: others }
    expect(checkStarvation(trial(lines), false)).toHaveLength(1)
    expect(checkStarvation(trial(lines, [fault(0, 3_000, { cutsOff: true })]), false)).toEqual([])
  })

  test('tokens grow with each tenure, and only where they may be lost they begin anew', () => {
    const minted = (c: number, at: number, fence: string): Line[] => [
      [at, call(c, { kind: 'fenced' })],
      [at + 1, { e: 'enter', c, left: 100, fence }],
      [at + 2, { e: 'exit', c }],
    ]
    const found = (second: string, ...faults: Parameters<typeof checkFences>[1]) =>
      checkFences(trial({ w: [...minted(1, 0, '7'), ...minted(2, 10, second)] }).calls, faults).length
    expect(found('8')).toBe(0)
    expect(found('7')).toBe(1)
    expect(found('7', fault(5, 6, { loses: 'all' }))).toBe(0)
  })

  test('a watched hold that is lost although nothing happened is wrong, a leased one is not', () => {
    const losses = (but: Parameters<typeof call>[1]) =>
      checkLosses(trial({ w: [...section(1, [0, 1, 100], but), [50, { e: 'lost', c: 1 }]] }))
    expect(losses({})).toHaveLength(1)
    expect(losses({ leaseMs: 49 })).toEqual([])
  })

  test('whose process stands still counts for all where the processes are the store', () => {
    const lines: Lines = { w: section(1, [0, 1, 100]), other: [[50, { e: 'lag', ms: 40 }]] }
    const stood = (ofAll: boolean) => new Standstills(historyOf(lines), ofAll).during('w', 0, 100)
    expect([stood(false), stood(true)]).toEqual([0, 40])
  })
})
