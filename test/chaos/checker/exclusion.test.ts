import { describe, expect, test } from 'vitest'
import { EVERYTHING } from '../history/event.js'
import { checkExclusion } from './exclusion.js'
import { fault, type Line, type Lines, section, trial } from './told.js'

function inside(c: number, from: number, to: number, but: Parameters<typeof section>[2] = {}, left = 5_000) {
  return section(c, [from - 1, from, to], but, left)
}

function judge(workers: Lines, faults?: Parameters<typeof trial>[1], hungMs = Infinity) {
  const bounds = { noticeMs: 1_000, handOverMs: 100, hungMs }
  const { findings, explained } = checkExclusion(trial(workers, faults), bounds)
  return { checks: findings.map(({ check }) => check), explained }
}

const sibling = (c: number) => ({ scope: [1], opens: [1, c] })
const permits = (takes: number) => ({ kind: 'semaphore', room: 3, takes, opens: [] })
const reader = { kind: 'read', room: EVERYTHING, takes: 1 }
const writer = { kind: 'write', room: EVERYTHING, takes: EVERYTHING }
const closes = { kind: 'latch', way: 'trySetCount', room: EVERYTHING, takes: EVERYTHING, opens: [] }
const waits = { ...closes, way: 'await', takes: 1 }

const one = inside(1, 10, 20)
const twoPermits = { one: inside(1, 10, 20, permits(2)), two: inside(1, 12, 20, permits(1)) }
const readers = { one: inside(1, 10, 20, reader), two: inside(1, 12, 30, reader) }
const writes = inside(1, 10, 20, writer)
const closed = inside(1, 10, 20, closes)

describe('a violation', () => {
  test.each<[title: string, workers: Lines]>([
    ['two workers at once', { one, two: inside(1, 15, 30) }],
    ['siblings', { one: [...one, ...inside(2, 11, 15, sibling(2)), ...inside(3, 12, 16, sibling(3))] }],
    [
      'one beside what outlives the section around it',
      { one: [...one, ...inside(2, 25, 40, sibling(2)), ...inside(3, 30, 50)] },
    ],
    ['a multi-lock, which takes each of its names', { one, two: inside(1, 15, 30, { names: ['b', 'a'] }) }],
    ['one permit more than there are', { ...twoPermits, three: inside(1, 13, 14, permits(1)) }],
    ['a writer beside readers', { ...readers, three: inside(1, 25, 40, writer) }],
    ['a read beside a write', { one: [...writes, ...inside(2, 11, 15, reader)] }],
    ['who waited for a latch and came when it was closed', { closed, two: inside(1, 15, 15.1, waits) }],
    ['a latch closed twice', { closed, two: inside(1, 15, 18, closes) }],
  ])('%s', (_, workers) => expect(judge(workers).checks).toEqual(['exclusion']))
})

describe('no violation', () => {
  test.each<[title: string, workers: Lines]>([
    ['permits up to their number', twoPermits],
    ['readers together', readers],
    ['a read within a write', { one: [...writes, ...inside(2, 11, 15, { ...reader, ...sibling(2) })] }],
    ['who waits for a latch that is counted down', { closed, two: inside(1, 25, 25.1, waits) }],
    ['who came before it was closed', { closed, two: inside(1, 10.5, 10.6, waits) }],
    ['a latch that is closed while another is on the way through', { closed, two: inside(1, 9, 12, waits) }],
  ])('%s', (_, workers) => expect(judge(workers).checks).toEqual([]))
})

describe('an overlap is excused', () => {
  test('but not where it said afterwards that it held', () => {
    const says: Line[] = [...inside(1, 10, 9_000, {}, 500), [650, { e: 'holds', c: 1, left: 100 }]]
    expect(judge({ one: says, two: inside(1, 600, 700) }).checks).toEqual(['exclusion'])
  })

  test('where the later holder’s lease was over before its first line, but not where that one said that it held', () => {
    const late = inside(1, 15, 30, {}, 0)
    expect(judge({ one, two: late })).toEqual({ checks: [], explained: { pause: 1, 'data lost': 0 } })
    const says: Line[] = [...late.slice(0, 2), [16, { e: 'holds', c: 1, left: 1 }], ...late.slice(2)]
    expect(judge({ one, two: says }).checks).toEqual(['exclusion'])
  })

  describe('where a process hung, and its session ended before its lease', () => {
    const hung = { e: 'lag', ms: 2_900 } as const
    const held = (left: number, ...more: Line[]): Line[] =>
      [...inside(1, 10, 9_000, { leaseMs: left }, left), ...more].sort(([t], [other]) => t - other)
    test('it is', () => {
      const workers = { one: held(5_000, [3_000, hung]), two: inside(2, 2_000, 2_100) }
      expect(judge(workers, [], 1_600)).toEqual({ checks: [], explained: { pause: 1, 'data lost': 0 } })
    })
    test.each<[title: string, one: Line[], hungMs: number]>([
      ['but not where it hung for less than a session lasts', held(5_000, [3_000, hung]), 2_000],
      [
        'nor where it ran again, and held, before the other entered',
        held(5_000, [1_800, { e: 'lag', ms: 1_700 }], [1_900, { e: 'holds', c: 1, left: 3_000 }]),
        1_600,
      ],
      [
        'nor where its lease was renewed with the session, and so no longer than that',
        [...inside(1, 10, 9_000), [9_001, hung]],
        1_600,
      ],
      ['nor where leases end by the servers alone', held(5_000, [3_000, hung]), Infinity],
    ])('%s', (_, hanging, hungMs) =>
      expect(judge({ one: hanging, two: inside(2, 2_000, 2_100) }, [], hungMs).checks).toEqual(['exclusion']),
    )
  })

  const two = inside(1, 100, 120)
  const lostAll = [fault(50, 60, { loses: 'all' })]

  test('where data was lost, and the holder was told in time, but not where it was told late', () => {
    const told = (at: number): Lines => ({ one: [...inside(1, 10, 9_000), [at, { e: 'lost', c: 1 }]], two })
    expect(judge(told(800), lostAll)).toEqual({ checks: [], explained: { pause: 0, 'data lost': 1 } })
    expect(judge(told(1_900), lostAll).checks).toEqual(['unnoticed'])
  })

  test('nor where it was never told', () => {
    const says: Line[] = [...inside(1, 10, 9_000), [8_000, { e: 'holds', c: 1, left: 100 }]]
    expect(judge({ one: says, two }, [fault(50, 60, { loses: { name: 'a' } })]).checks).toEqual(['unnoticed'])
  })

  test.each([
    ['other data was lost', fault(250, 260, { loses: { name: 'b' } })],
    ['it was lost earlier', ...lostAll],
  ])('nor where %s', (_, lost) => {
    const workers = { one: inside(1, 210, 9_000), two: inside(1, 300, 320) }
    expect(judge(workers, [lost]).checks).toEqual(['exclusion'])
  })
})
