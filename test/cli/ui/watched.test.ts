/** What a page shows of what looks have found: bounded, and in sight long enough. */
import { describe, expect, it } from 'vitest'
import type { LockView } from '../../../src/cli/lock-view.js'
import { chosen, MOST_ROWS } from '../../../src/cli/ui/chosen.js'
import { digestOf } from '../../../src/cli/ui/row.js'
import { Watched } from '../../../src/cli/ui/watched.js'

const held: LockView = {
  name: 'x',
  kind: 'lock',
  owners: [{ owner: 'f~web-1%3A42:1', holds: 1 }],
  remainingMs: 30_000,
  waitingClients: 0,
}
const free: LockView = { name: 'x', kind: undefined, owners: [], remainingMs: 0, waitingClients: 0 }

function watched(...looks: ReadonlyArray<readonly [atMs: number, ...views: LockView[]]>): Watched {
  const found = new Watched('x', 1)
  for (const [atMs, ...views] of looks) found.update(views, atMs)
  return found
}

describe('the rows of a name', () => {
  it('a lock that was freed is shown as free for ten seconds, and then not at all', () => {
    expect(watched([0, held], [1_000, free], [10_000, free]).rows('line')).toMatchObject([
      { held: false, state: 'free', kind: 'lock' },
    ])
    const gone = watched([0, held], [1_000, free], [10_001, free])
    expect(gone.rows('line')).toEqual([])
    expect(gone.isGone).toBe(true)
  })

  it('the end of a lease does not move for the time that answers take', () => {
    const [before] = watched([0, held]).rows('line')
    const later = { ...held, remainingMs: 29_050 }
    expect(watched([0, held], [1_000, later]).rows('line')).toEqual([before])
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
    expect(watched([0, { ...held, remainingMs: Infinity }]).rows('line')).toMatchObject([
      { held: true, endsAtMs: null },
    ])
  })

  it('holders and places are named up to a number', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => ({ owner: `f~web-${index}:1`, holds: 1 }))
    const crowd = watched([0, { ...held, owners: many, line: many }])
    expect(crowd.rows('line')).toMatchObject([{ holders: { named: ['web-0'], more: 999 }, waiting: 1_000 }])
    expect(crowd.rows('page')).toMatchObject([{ holders: { more: 950 }, line: { more: 950 } }])
  })

  it('those that are held and waited for may be part of a deadlock', () => {
    const waitedFor = { ...held, waitingClients: 1 }
    const readWrite: LockView = { ...held, kind: 'read-write lock', line: [{ owner: 'g:1', mode: 'write' }] }
    expect(watched([0, held, { ...waitedFor, kind: 'semaphore' }]).contended).toEqual([])
    // Where nobody knows how many wait.
    expect(watched([0, { ...held, waitingClients: undefined }]).contended).toEqual([
      { kind: 'lock', name: 'x' },
    ])
    expect(watched([0, { ...waitedFor, kind: 'fenced lock' }, readWrite]).contended).toEqual([
      { kind: 'lock', name: 'x' },
      { kind: 'write lock', name: 'x' },
    ])
  })

  it('a row is small whatever the name and the owner are', () => {
    const owner = '\u0000'.repeat(65_536)
    const name = '\u202e'.repeat(65_536)
    const rows = watched([0, { ...held, name, owners: [{ owner, holds: 1 }], line: [{ owner }] }]).rows(
      'page',
    )
    expect(JSON.stringify(rows).length).toBeLessThan(1_500)
    expect(rows).toMatchObject([{ href: null }])
  })
})

describe('what a page shows of many names', () => {
  it('the first ones, in their order', () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `${index}`.padStart(5, '0'))
    expect(chosen(names.toReversed())).toEqual(names.slice(0, MOST_ROWS))
  })
})

describe('the digest of holders', () => {
  it('differs with each holder, side and count, not with their order or their lease', () => {
    const [one, two] = [
      { owner: 'a:1', holds: 1 },
      { owner: 'b:1', holds: 1 },
    ]
    const digest = digestOf({ ...held, owners: [one, two] })
    expect(digestOf({ ...held, owners: [two, one], remainingMs: 1 })).toBe(digest)
    expect(digestOf({ ...held, owners: [one] })).not.toBe(digest)
    expect(digestOf({ ...held, owners: [one, { ...two, mode: 'read' }] })).not.toBe(digest)
    expect(digestOf({ ...held, owners: [], count: 1 })).not.toBe(digestOf({ ...held, owners: [], count: 2 }))
  })
})
