import { describe, expect, test } from 'vitest'
import { EVERYTHING, type Told } from '../history/event.js'
import type { Fault } from '../history/fault.js'
import { Room } from '../history/room.js'
import { Standstills } from '../history/standstills.js'
import { checkExclusion } from './exclusion.js'
import { call, fault, historyOf, told } from './told.js'

const bounds = { noticeMs: 1_000, handOverMs: 100, hungMs: Infinity }
type Line = readonly [t: number, told: Told]

function section(
  c: number,
  from: number,
  to: number,
  left = 5_000,
  but: Parameters<typeof call>[1] = {},
): Line[] {
  return [
    [from - 1, call(c, but)],
    [from, { e: 'enter', c, left }],
    [to, { e: 'exit', c }],
    [to + 1, { e: 'done', c, how: 'ok' }],
  ]
}

function judge(
  workers: Record<string, Line[]>,
  faults: Fault[] = [],
  killed: Record<string, number> = {},
  { hungMs }: { readonly hungMs: number } = bounds,
) {
  const history = historyOf(workers, { killed })
  const { findings, explained } = checkExclusion(
    told(workers, { killed }),
    faults,
    new Room({ ...history, faults }),
    new Standstills(history),
    { ...bounds, hungMs },
  )
  return { checks: findings.map(({ check }) => check), explained }
}

describe('an exclusive lock', () => {
  test('sections of two workers at once are a violation', () => {
    expect(judge({ one: section(1, 10, 20), two: section(1, 15, 30) }).checks).toEqual(['exclusion'])
  })

  test('so are those of siblings', () => {
    const siblings = [
      ...section(2, 11, 15, 5_000, { scope: [1], opens: [1, 2] }),
      ...section(3, 12, 16, 5_000, { scope: [1], opens: [1, 3] }),
    ]
    expect(judge({ one: [...section(1, 10, 20), ...siblings] }).checks).toEqual(['exclusion'])
  })

  test('what outlives its section is let in by nobody else’s', () => {
    const outlives = section(2, 25, 40, 5_000, { scope: [1], opens: [1, 2] })
    const later = section(3, 30, 50)
    expect(judge({ one: [...section(1, 10, 20), ...outlives, ...later] }).checks).toEqual(['exclusion'])
  })

  test('a multi-lock takes each of its names', () => {
    const both = section(1, 15, 30, 5_000, { names: ['b', 'a'] })
    expect(judge({ one: section(1, 10, 20), two: both }).checks).toEqual(['exclusion'])
  })
})

describe('an overlap is excused', () => {
  test('but not where it said afterwards that it held', () => {
    const says: Line[] = [...section(1, 10, 9_000, 500), [650, { e: 'holds', c: 1, left: 100 }]]
    expect(judge({ one: says, two: section(1, 600, 700) }).checks).toEqual(['exclusion'])
  })

  test('where the later holder’s lease was over before its first line, but not where that one said that it held', () => {
    const late = section(1, 15, 30, 0)
    expect(judge({ one: section(1, 10, 20), two: late })).toEqual({
      checks: [],
      explained: { pause: 1, 'data lost': 0 },
    })
    const says: Line[] = [...late.slice(0, 2), [16, { e: 'holds', c: 1, left: 1 }], ...late.slice(2)]
    expect(judge({ one: section(1, 10, 20), two: says }).checks).toEqual(['exclusion'])
  })

  describe('where a process hung, and its session ended before its lease', () => {
    const [other, hung] = [section(2, 2_000, 2_100), { e: 'lag', ms: 2_900 } as const]
    const held = (left: number, more: readonly Line[], but = { leaseMs: left }): Line[] =>
      [...section(1, 10, 9_000, left, but), ...more].sort(([one], [another]) => one - another)
    const checks = (one: Line[], hungMs = 1_600): string[] =>
      judge({ one, two: other }, [], {}, { hungMs }).checks
    test('but not where it hung for less than a session lasts', () =>
      expect(checks(held(5_000, [[3_000, hung]]), 2_000)).toEqual(['exclusion']))
    test('nor where it ran again, and held, before the other entered', () => {
      const again: Line[] = [
        [1_800, { e: 'lag', ms: 1_700 }],
        [1_900, { e: 'holds', c: 1, left: 3_000 }],
      ]
      expect(checks(held(5_000, again))).toEqual(['exclusion'])
    })
    test('nor where its lease was renewed with the session, and so no longer than that', () =>
      expect(checks(section(1, 10, 9_000).concat([[9_001, hung]]))).toEqual(['exclusion']))
    test('nor where leases end by the servers alone', () =>
      expect(checks(held(5_000, [[3_000, hung]]), Infinity)).toEqual(['exclusion']))
  })

  test('where data was lost, and the holder was told in time', () => {
    const lost: Line[] = [...section(1, 10, 9_000), [800, { e: 'lost', c: 1 }]]
    const faults = [fault(50, 60, { loses: 'all' })]
    const verdict = judge({ one: lost, two: section(1, 100, 120) }, faults)
    expect(verdict).toEqual({ checks: [], explained: { pause: 0, 'data lost': 1 } })
  })

  test('but not where it was told late', () => {
    const lost: Line[] = [...section(1, 10, 9_000), [1_900, { e: 'lost', c: 1 }]]
    const faults = [fault(50, 60, { loses: 'all' })]
    expect(judge({ one: lost, two: section(1, 100, 120) }, faults).checks).toEqual(['unnoticed'])
  })

  test('nor where it was never told', () => {
    const says: Line[] = [...section(1, 10, 9_000), [8_000, { e: 'holds', c: 1, left: 100 }]]
    const faults = [fault(50, 60, { loses: { name: 'a' } })]
    expect(judge({ one: says, two: section(1, 100, 120) }, faults).checks).toEqual(['unnoticed'])
  })

  test('nor where other data was lost, or earlier', () => {
    const workers = { one: section(1, 210, 9_000), two: section(1, 300, 320) }
    expect(judge(workers, [fault(250, 260, { loses: { name: 'b' } })]).checks).toEqual(['exclusion'])
    expect(judge(workers, [fault(50, 60, { loses: 'all' })]).checks).toEqual(['exclusion'])
  })
})

describe('a latch', () => {
  const closes = { kind: 'latch', way: 'trySetCount', room: EVERYTHING, takes: EVERYTHING, opens: [] }
  const waits = { ...closes, way: 'await', takes: 1 }

  test('lets nobody in who came when it was closed, until it is counted down', () => {
    const closed = { one: section(1, 10, 20, 5_000, closes) }
    expect(judge({ ...closed, two: section(1, 15, 15.1, 5_000, waits) }).checks).toEqual(['exclusion'])
    expect(judge({ ...closed, two: section(1, 25, 25.1, 5_000, waits) }).checks).toEqual([])
    expect(judge({ ...closed, two: section(1, 10.5, 10.6, 5_000, waits) }).checks).toEqual([])
  })

  test('is closed by one at a time, whoever is still on the way through', () => {
    const closed = { one: section(1, 10, 20, 5_000, closes) }
    expect(judge({ ...closed, two: section(1, 15, 18, 5_000, closes) }).checks).toEqual(['exclusion'])
    expect(judge({ ...closed, two: section(1, 9, 12, 5_000, waits) }).checks).toEqual([])
  })
})

describe('what several may hold', () => {
  const permits = (takes: number) => ({ kind: 'semaphore', room: 3, takes, opens: [] })
  const reader = { kind: 'read', room: EVERYTHING, takes: 1 }
  const writer = { kind: 'write', room: EVERYTHING, takes: EVERYTHING }

  test('permits up to their number are good, one more is a violation', () => {
    const two = { one: section(1, 10, 20, 5_000, permits(2)), two: section(1, 12, 20, 5_000, permits(1)) }
    expect(judge(two).checks).toEqual([])
    expect(judge({ ...two, three: section(1, 13, 14, 5_000, permits(1)) }).checks).toEqual(['exclusion'])
  })

  test('readers are good together, a writer beside them is a violation', () => {
    const readers = { one: section(1, 10, 20, 5_000, reader), two: section(1, 12, 30, 5_000, reader) }
    expect(judge(readers).checks).toEqual([])
    expect(judge({ ...readers, three: section(1, 25, 40, 5_000, writer) }).checks).toEqual(['exclusion'])
  })

  test('a read within a write is good, one beside it is a violation', () => {
    const within = section(2, 11, 15, 5_000, { ...reader, scope: [1], opens: [1, 2] })
    expect(judge({ one: [...section(1, 10, 20, 5_000, writer), ...within] }).checks).toEqual([])
    const beside = section(2, 11, 15, 5_000, reader)
    expect(judge({ one: [...section(1, 10, 20, 5_000, writer), ...beside] }).checks).toEqual(['exclusion'])
  })
})
