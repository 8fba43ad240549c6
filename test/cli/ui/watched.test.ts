/** What a page shows of what looks have found: bounded, and in sight long enough. */
import { describe, expect, it } from 'vitest'
import type { LockView } from '../../../src/cli/lock-view.js'
import { chosen, MOST_ROWS, patternOf } from '../../../src/cli/ui/chosen.js'
import { digestOf } from '../../../src/cli/ui/row.js'
import { totalsOf } from '../../../src/cli/ui/totals.js'
import { Watched } from '../../../src/cli/ui/watched.js'

const holder = { owner: 'f~web-1%3A42:1', holds: 1 } as const
const held: LockView = { name: 'x', kind: 'lock', owners: [holder], remainingMs: 30_000, waitingClients: 0 }
const free: LockView = { name: 'x', kind: undefined, owners: [], remainingMs: 0, waitingClients: 0 }

type Look = readonly [atMs: number, ...views: LockView[]]

function watched(...looks: readonly Look[]): Watched {
  const found = new Watched('x', 1)
  for (const [atMs, ...views] of looks) found.update(views, atMs)
  return found
}

describe('the rows of a name', () => {
  it('a lock that was freed is shown as free for ten seconds, and then not at all', () => {
    const still = watched([0, held], [1_000, free], [10_000, free])
    expect(still.rows('line')).toMatchObject([{ held: false, state: 'free', kind: 'lock' }])
    const gone = watched([0, held], [1_000, free], [10_001, free])
    expect(gone.rows('line')).toEqual([])
    expect(gone.isGone).toBe(true)
  })

  it('the end of a lease does not move for the time that answers take', () => {
    const [before] = watched([0, held]).rows('line')
    expect(watched([0, held], [1_000, { ...held, remainingMs: 29_050 }]).rows('line')).toEqual([before])
    const renewed = watched([0, held], [10_000, held]).rows('line')
    expect(renewed).toMatchObject([{ endsAtMs: 40_000, fullMs: 30_000 }])
  })

  it('a full bar is the longest that was left of the lease', () => {
    const half = { ...held, remainingMs: 15_000 }
    expect(watched([0, half], [1_000, held], [20_000, half]).rows('line')).toMatchObject([{ fullMs: 30_000 }])
  })

  it('two locks of one name are two rows', () => {
    const rows = watched([0, held, { ...held, kind: 'read-write lock' }]).rows('line')
    expect(new Set(rows.map(({ key }) => key)).size).toBe(2)
  })

  it('a lease without end has no bar', () => {
    const endless = watched([0, { ...held, remainingMs: Infinity }])
    expect(endless.rows('line')).toMatchObject([{ held: true, endsAtMs: null }])
  })

  it('holders and places are named up to a number', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => ({ owner: `f~web-${index}:1`, holds: 1 }))
    const crowd = watched([0, { ...held, owners: many, line: many }])
    const holders = { named: [{ who: 'web-0' }], more: 999 }
    expect(crowd.rows('line')).toMatchObject([{ holders, waiting: 1_000 }])
    expect(crowd.rows('page')).toMatchObject([{ holders: { more: 950 }, line: { more: 950 } }])
  })

  it('those that are held and waited for may be part of a deadlock', () => {
    const waitedFor = { ...held, waitingClients: 1 }
    const readWrite: LockView = { ...held, kind: 'read-write lock', line: [{ owner: 'g:1', mode: 'write' }] }
    expect(watched([0, held, { ...waitedFor, kind: 'semaphore' }]).contended).toEqual([])
    // Where nobody knows how many wait.
    const [lock, write] = [{ kind: 'lock', name: 'x' } as const, { kind: 'write lock', name: 'x' } as const]
    expect(watched([0, { ...held, waitingClients: undefined }]).contended).toEqual([lock])
    expect(watched([0, { ...waitedFor, kind: 'fenced lock' }, readWrite]).contended).toEqual([lock, write])
  })

  it('a row is small whatever the name and the owner are', () => {
    const owner = '\u0000'.repeat(65_536)
    const large = { ...held, name: '\u202e'.repeat(65_536), owners: [{ owner, holds: 1 }], line: [{ owner }] }
    const rows = watched([0, large]).rows('page')
    expect(JSON.stringify(rows).length).toBeLessThan(2_500)
    expect(rows).toMatchObject([{ href: null }])
  })
})

describe('since when a lock is held', () => {
  const at = (atMs: number): number => Math.round(performance.timeOrigin + atMs)

  it('is what the store says, where it does', () => {
    const owners = [{ owner: 'f:1', holds: 1, heldSince: 1_700_000_000_000 }]
    const rows = watched([0, { ...held, owners }]).rows('line')
    expect(rows).toMatchObject([{ since: 1_700_000_000_000, orEarlier: false }])
  })

  it('else the first look that saw its holders, or earlier if nobody had looked before', () => {
    const seen = (...looks: readonly Look[]) => watched(...looks).rows('line')
    expect(seen([1_000, held], [5_000, held])).toMatchObject([{ since: at(1_000), orEarlier: true }])
    const next = { ...held, owners: [{ owner: 'g:1', holds: 1 }] }
    const later = { since: at(5_000), orEarlier: false }
    expect(seen([1_000, held], [5_000, next], [6_000, next])).toMatchObject([later])
    expect(seen([0], [5_000, held])).toMatchObject([later])
  })
})

describe('what a page shows of many names', () => {
  const views = Array.from({ length: 10_000 }, (_, index) => ({ ...held, name: `${index}`.padStart(5, '0') }))
  const names = views.map(({ name }) => name)
  const waited = (name: string, waitingClients: number, waitsSince?: number): LockView => ({
    ...{ ...held, name, waitingClients },
    ...(waitsSince !== undefined && { line: [{ owner: 'g:1', waitsSince }] }),
  })

  it('a part of them, and the last one where there are no more', () => {
    expect(chosen(views.toReversed(), 'name', 0)).toEqual({ names: names.slice(0, MOST_ROWS), from: 0 })
    const second = { names: names.slice(MOST_ROWS, 2 * MOST_ROWS), from: MOST_ROWS }
    expect(chosen(views, 'name', 1)).toEqual(second)
    expect(chosen(views, 'name', 1_000)).toEqual({ names: names.slice(-MOST_ROWS), from: 9_950 })
    expect(chosen([], 'waiting', 3)).toEqual({ names: [], from: 0 })
  })

  it('first those that most wait for, and of those the ones they wait for longest', () => {
    const busy = [waited('d', 1, 2_000), waited('c', 1, 1_000), waited('b', 3, 9_000), waited('e', 1)]
    expect(chosen([...views, ...busy], 'waiting', 0).names.slice(0, 5)).toEqual(['b', 'c', 'd', 'e', '00000'])
  })

  it('first those that are held longest', () => {
    const since = (name: string, heldSince: number): LockView => ({
      ...{ ...held, name },
      owners: [{ owner: 'f:1', holds: 1, heldSince }],
    })
    expect(chosen([held, since('b', 2_000), since('c', 1_000)], 'age', 0).names).toEqual(['c', 'b', 'x'])
  })

  it('in numbers', () => {
    const kept = { ...held, name: 'c', owners: [{ owner: 'f:1', holds: 1, heldSince: 500 }], lingers: true }
    expect(totalsOf([held, waited('a', 2, 3_000), waited('b', 1, 1_000), kept])).toEqual({
      ...{ held: 4, kept: 1, waiting: 3 },
      longestWait: { name: 'b', href: 'lock?name=b', since: 1_000 },
      longestHold: { name: 'c', href: 'lock?name=c', since: 500 },
    })
  })

  it('a text is a part of a name, a pattern the whole of it', () =>
    expect(['', 'voice', 'in*', 'a?', '[ab]'].map(patternOf)).toEqual(['*', '*voice*', 'in*', 'a?', '[ab]']))
})

describe('the digest of holders', () => {
  it('differs with each holder, side and count, not with their order or their lease', () => {
    const [one, two] = [{ owner: 'a:1', holds: 1 } as const, { owner: 'b:1', holds: 1 } as const]
    const digest = digestOf({ ...held, owners: [one, two] })
    expect(digestOf({ ...held, owners: [two, one], remainingMs: 1 })).toBe(digest)
    expect(digestOf({ ...held, owners: [one] })).not.toBe(digest)
    expect(digestOf({ ...held, owners: [one, { ...two, mode: 'read' }] })).not.toBe(digest)
    expect(digestOf({ ...held, owners: [], count: 1 })).not.toBe(digestOf({ ...held, owners: [], count: 2 }))
  })
})
