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
  test('sections one after the other are good', () => {
    expect(judge({ one: section(1, 10, 20), two: section(1, 20.1, 30) }).checks).toEqual([])
  })

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

  test('a section within another is good', () => {
    const inner = section(2, 11, 15, 5_000, { scope: [1], opens: [1, 2] })
    expect(judge({ one: [...section(1, 10, 20), ...inner] }).checks).toEqual([])
  })

  test('a multi-lock enters when it has all its members: what re-entered one of them may have entered before', () => {
    const outer = { kind: 'multi', scope: [1], opens: [1] }
    const late = [call(3, outer), { e: 'enter', c: 3, left: 5_000 }, { e: 'exit', c: 3 }] as const
    const nested = section(2, 12, 20, 5_000, { kind: 'multi', scope: [1], opens: [1, 2] })
    const lines = (calledAt: number): Line[] => [
      [calledAt, late[0]],
      [13, late[1]],
      [15, late[2]],
    ]
    const around = section(1, 10, 30, 5_000, { kind: 'multi' })
    const judged = (calledAt: number): string[] =>
      judge({ one: [...around, ...nested, ...lines(calledAt)].sort(([one], [other]) => one - other) }).checks
    expect(judged(11.5)).toEqual([])
    expect(judged(12.5)).toEqual(['exclusion'])
  })

  test('what outlives its section is let in by nobody else’s', () => {
    const outlives = section(2, 25, 40, 5_000, { scope: [1], opens: [1, 2] })
    const later = section(3, 30, 50)
    expect(judge({ one: [...section(1, 10, 20), ...outlives, ...later] }).checks).toEqual(['exclusion'])
  })

  test('a holder that was told is no longer inside', () => {
    const lost: Line[] = [...section(1, 10, 40), [15, { e: 'lost', c: 1 }]]
    expect(judge({ one: lost, two: section(1, 16, 30) }).checks).toEqual([])
  })

  test('a holder that was killed is no longer inside', () => {
    const killed = section(1, 10, 40).slice(0, 2)
    expect(judge({ one: killed, two: section(1, 16, 30) }, [], { one: 15 }).checks).toEqual([])
  })

  test('a multi-lock takes each of its names', () => {
    const both = section(1, 15, 30, 5_000, { names: ['b', 'a'] })
    expect(judge({ one: section(1, 10, 20), two: both }).checks).toEqual(['exclusion'])
  })
})

describe('an overlap is excused', () => {
  test('where the older holder was past its deadline', () => {
    const verdict = judge({ one: section(1, 10, 9_000, 500), two: section(1, 600, 700) })
    expect(verdict).toEqual({ checks: [], explained: { pause: 1, 'data lost': 0 } })
  })

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

    test('is good', () => expect(checks(held(5_000, [[3_000, hung]]))).toEqual([]))
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

  test('unless its process stood still meanwhile', () => {
    const lost: Line[] = [
      ...section(1, 10, 9_000),
      [1_890, { e: 'lag', ms: 900 }],
      [1_900, { e: 'lost', c: 1 }],
    ]
    const faults = [fault(50, 60, { loses: 'all' })]
    expect(judge({ one: lost, two: section(1, 100, 120) }, faults).checks).toEqual([])
  })

  test('where the holder, who had entered right after a loss, was told of the next in time', () => {
    const lost: Line[] = [...section(1, 90, 9_000), [1_900, { e: 'lost', c: 1 }]]
    const faults = [fault(50, 60, { loses: 'all' }), fault(1_000, 1_010, { loses: 'all' })]
    expect(judge({ one: lost, two: section(1, 1_100, 1_120) }, faults).checks).toEqual([])
    expect(judge({ one: lost, two: section(1, 1_100, 1_120) }, faults.slice(0, 1)).checks).toEqual([
      'unnoticed',
    ])
  })

  test('a multi-lock that entered after a loss may have had its first members before, and is to be told in time, too', () => {
    const faults = [fault(50, 60, { loses: 'all' })]
    const late = (end: number): Line[] => [
      [20, call(1, { kind: 'multi' })],
      [120, { e: 'enter', c: 1, left: 5_000 }],
      [end, { e: 'lost', c: 1 }],
    ]
    expect(judge({ one: section(1, 100, 200), two: late(150) }, faults)).toEqual({
      checks: [],
      explained: { pause: 0, 'data lost': 1 },
    })
    const stands: Line[] = [...section(1, 100, 9_000), [8_000, { e: 'holds', c: 1, left: 5_000 }]]
    expect(judge({ one: stands, two: late(1_900) }, faults).checks).toEqual(['unnoticed'])
    expect(judge({ one: section(1, 100, 200), two: late(150) }).checks).toEqual(['exclusion'])
  })

  test('or may have its locks since the next loss, which the other was told of in time', () => {
    const older: Line[] = [...section(1, 100, 9_000), [2_300, { e: 'lost', c: 1 }]]
    const multi: Line[] = [
      [20, call(1, { kind: 'multi' })],
      [2_100, { e: 'enter', c: 1, left: 5_000 }],
      [4_000, { e: 'holds', c: 1, left: 5_000 }],
    ]
    const faults = [fault(50, 60, { loses: 'all' }), fault(2_000, 2_010, { loses: 'all' })]
    expect(judge({ one: older, two: multi }, faults).checks).toEqual([])
    expect(judge({ one: older, two: multi }, faults.slice(0, 1)).checks).toEqual(['unnoticed'])
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

  test('permits that were added count until their reduction is done, whoever was granted last', () => {
    const resized = (n: number, from: number, to: number, by: number): Line[] => [
      [from, { e: 'resize', n, name: 'a', by }],
      [to, { e: 'resized', n, by }],
    ]
    const three = { one: section(1, 10, 60, 5_000, permits(3)) }
    const more = (at: number) => ({ ...three, two: section(1, at, at + 5, 5_000, permits(1)) })
    const added = { three: [...resized(1, 20, 21, 1), ...resized(2, 30, 40, -1)] }
    expect(judge({ ...more(19), ...added }).checks).toEqual(['exclusion'])
    expect(judge({ ...more(35), ...added }).checks).toEqual([])
    expect(judge({ ...more(45), ...added }).checks).toEqual(['exclusion'])
  })

  test('a reduction that was lost is made up for all the same: there are more permits from then on', () => {
    const resized = (n: number, at: number, by: number): Line[] => [
      [at, { e: 'resize', n, name: 'a', by }],
      [at + 1, { e: 'resized', n, by }],
    ]
    const workers = {
      one: section(1, 200, 260, 5_000, permits(3)),
      two: section(1, 250, 255, 5_000, permits(1)),
      three: [...resized(1, 20, -1), ...resized(2, 30, 1)],
    }
    const lost = (from: number) => [fault(from, from + 1, { loses: { name: 'a' } })]
    expect(judge(workers, lost(25)).checks).toEqual([])
    expect(judge(workers, lost(15)).checks).toEqual(['exclusion'])
    expect(judge(workers).checks).toEqual(['exclusion'])
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
