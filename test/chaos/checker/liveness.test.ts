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

  test('whoever finds a value under its lock has released that, whoever finds none in time has not', () => {
    const computing = (how: string): Line[] => [
      [0, call(1, { kind: 'compute-once', waitMs: 100 })],
      [3_100, { e: 'fail', c: 1, how }],
    ]
    expect(late(computing('ok'))).toBe(0)
    expect(late(computing('lock_timeout'))).toBe(1)
  })

  test('a release has its bound, too', () => {
    const released = (at: number): Line[] => [
      ...section(1, [0, 1, 2]).slice(0, 3),
      [at, { e: 'done', c: 1, how: 'store:timeout' }],
    ]
    expect(late(released(2_500))).toBe(0)
    expect(late(released(2_700))).toBe(1)
  })

  test('while the process stands still nothing is late', () => {
    const lines: Line[] = [
      [0, call(1, { waitMs: 100 })],
      [3_000, { e: 'lag', ms: 2_900 }],
      [3_001, { e: 'fail', c: 1, how: 'lock_timeout' }],
    ]
    expect(late(lines, new Standstills(historyOf({ w: lines })))).toBe(0)
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

  test('a call whose lease may be too short for its distance, and that gives up for that, waits in vain', () => {
    const gaveUp = (how: string): Line[] => [
      [50, call(1, { leaseMs: 50 })],
      [900, { e: 'fail', c: 1, how }],
    ]
    expect(idle({ one: section(1, [0, 1, 100]), two: gaveUp('store:timeout') }).found).toBe(0)
    expect(idle({ one: section(1, [0, 1, 100]), two: gaveUp('store:unreachable') }).found).toBe(1)
  })

  test('only from when the waiter came, and where it could reach the store', () => {
    expect(idle({ one: section(1, [0, 1, 100]), two: section(1, [850, 900, 990]) }).longest).toBe(50)
    const faults = [fault(50, 800, { cutsOff: true })]
    expect(idle({ one: section(1, [0, 1, 100]), two: section(1, [50, 900, 990]) }, { faults }).longest).toBe(
      100,
    )
  })

  test('not while a release that was lost in a failover may keep others out', () => {
    const lines = { one: section(1, [0, 1, 100]), two: section(1, [50, 900, 990]) }
    expect(idle(lines, { faults: [fault(90, 110, { revives: true })] }).longest).toBeLessThan(2)
    expect(idle(lines, { faults: [fault(90, 110)] }).longest).toBeGreaterThan(700)
  })

  test('a lock whose holder was killed is free when its lease has ended', () => {
    const killed = section(1, [0, 1, 0]).slice(0, 2)
    const lines = { one: killed, two: section(1, [50, 1_500, 1_600]) }
    const { longest } = idle(lines, { killed: { one: 10 } })
    expect(longest).toBeLessThan(400)
  })

  test('calls for several names wait for all of them, and keep others out while they do', () => {
    const both = { kind: 'multi', names: ['a', 'b'] }
    const found = (lines: Record<string, Line[]>) =>
      checkIdleness(told(lines), [], still, new Room(historyOf(lines)), 10_000, bounds).findings.length
    const holdsB = section(1, [0, 1, 2_000], { names: ['b'] })
    const waitsA = section(1, [50, 2_300, 2_400])
    const several = (entered: number): Line[] => section(1, [20, entered, entered + 100], both)
    expect(found({ one: holdsB, two: waitsA, three: several(2_100) })).toBe(0)
    expect(found({ one: holdsB, three: several(2_400) })).toBe(0)
    expect(found({ one: holdsB, three: several(2_600) })).toBe(2)
    const third = section(1, [30, 2_450, 2_460], { kind: 'multi', names: ['a', 'c'] })
    expect(found({ one: holdsB, three: several(2_300), four: third })).toBe(0)
    expect(found({ two: waitsA })).toBe(1)
  })

  test('permits whose lease was made shorter are free when that has ended', () => {
    const some = { kind: 'permits', opens: [] }
    const lapses: Line[] = [
      ...section(1, [0, 1, 100], some).slice(0, 3),
      [110, { e: 'lets', c: 1, ms: 30 }],
      [200, { e: 'done', c: 1, how: 'lock_lost' }],
    ]
    const lines = { one: lapses, two: section(1, [50, 1_200, 1_300], some) }
    const found = checkIdleness(told(lines), [], still, new Room(historyOf(lines)), 10_000, bounds)
    expect(found.longestMs['permits']).toBe(1_200 - 110 - 30 - 200)
  })

  test('permits that were taken away, for certain or perhaps, are not free', () => {
    const some = { kind: 'lock', room: 3, takes: 2, opens: [] }
    const waits = { two: section(1, [50, 900, 990], some) }
    const reduced = (settles: boolean): Line[] => [
      [10, { e: 'resize', n: 1, name: 'a', by: -2 }],
      ...(settles ? ([[20, { e: 'resized', n: 1, by: -2 }]] as const) : []),
      [600, { e: 'resize', n: 2, name: 'a', by: 2 }],
      [700, { e: 'resized', n: 2, by: 2 }],
    ]
    expect(idle({ ...waits, three: reduced(true) }).longest).toBe(200)
    expect(idle({ ...waits, three: reduced(false) }).longest).toBe(200)
    expect(idle(waits).longest).toBe(850)
  })

  test('permits: only where there are enough for whoever wants most', () => {
    const some = (takes: number) => ({ kind: 'lock', room: 3, takes, opens: [] })
    const held = section(1, [0, 1, 5_000], some(2))
    expect(idle({ one: held, two: section(1, [50, 5_001, 6_000], some(2)) }).longest).toBeLessThan(2)
    expect(idle({ one: held, two: section(1, [50, 4_000, 6_000], some(1)) }).found).toBe(1)
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

  test('a process that keeps the lock may pass whoever it has not been told of yet', () => {
    const first: Line[] = [...section(1, [0, 80, 81], fair), [5, { e: 'wait', c: 1 }]]
    const second = (called: number): Line[] => section(1, [called, called + 1, called + 2], fair)
    expect(checkLineOrder(told({ one: first, two: second(15) }), still, 100, 10)).toEqual([])
    expect(checkLineOrder(told({ one: first, two: second(16) }), still, 100, 10)).toHaveLength(1)
  })

  test('who gives back a grant that came too late for its lease stands behind those that came meanwhile', () => {
    const first = (...more: Line[]): Line[] =>
      [...section(1, [0, 100, 101], fair), [5, { e: 'wait', c: 1 }] satisfies Line, ...more].sort(
        ([one], [other]) => one - other,
      )
    const second = section(1, [10, 40, 45], fair)
    const late: Line = [35, { e: 'late', c: 1 }]
    expect(checkLineOrder(told({ one: first(), two: second }), still, 100)).toHaveLength(1)
    expect(checkLineOrder(told({ one: first(late), two: second }), still, 100)).toEqual([])
    // Its new place counts like any other.
    const third = section(1, [55, 60, 65], fair)
    const again: Line = [50, { e: 'wait', c: 1 }]
    expect(checkLineOrder(told({ one: first(late, again), two: second }), still, 100)).toEqual([])
    expect(checkLineOrder(told({ one: first(late, again), two: third }), still, 100)).toHaveLength(1)
    // The event loop may come to say so when the call has entered.
    const entered: Line = [101, { e: 'late', c: 1 }]
    expect(checkLineOrder(told({ one: first(entered), two: second }), still, 100)).toHaveLength(1)
  })

  test('who called before the other stood in line may pass it', () => {
    const first: Line[] = [...section(1, [0, 50, 51], fair), [12, { e: 'wait', c: 1 }]]
    expect(checkLineOrder(told({ one: first, two: section(1, [10, 40, 45], fair) }), still, 100)).toEqual([])
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
