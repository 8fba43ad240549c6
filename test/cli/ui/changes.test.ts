import { describe, expect, it } from 'vitest'
import type { LockView } from '../../../src/cli/lock-view.js'
import { changesBetween } from '../../../src/cli/ui/changes.js'

type Given = Partial<LockView> & { readonly by?: readonly string[] }

function view({ by = [], ...rest }: Given): LockView {
  const owners = by.map((label, index) => ({ owner: `${index}f~${label}:1`, holds: 1 }))
  return { name: 'x', kind: 'lock', owners, remainingMs: by.length > 0 ? 30_000 : 0, ...rest }
}

/** The texts of what changed from one look to the next, a second later. */
function told(was: Given, is: Given): readonly string[] {
  return changesBetween({ lock: view(was), atMs: 5_000 }, { lock: view(is), atMs: 6_000 }).map(
    ({ what, text }) => `${what}: ${text}`,
  )
}

const table: ReadonlyArray<readonly [title: string, was: Given, is: Given, ...told: string[]]> = [
  ['nothing', { by: ['a'] }, { by: ['a'] }],
  ['a renewal', { by: ['a'], remainingMs: 20_000 }, { by: ['a'], remainingMs: 30_000 }],
  ['a waiter', { by: ['a'], waitingClients: 0 }, { by: ['a'], waitingClients: 3 }],
  ['taken', {}, { by: ['a'] }, 'taken: was taken by a'],
  ['freed', { by: ['a'] }, {}, 'gone: was released, or freed by force; it was held by a'],
  [
    'without end, freed',
    { by: ['a'], remainingMs: Infinity },
    {},
    'gone: was released, or freed by force; it was held by a',
  ],
  [
    'the lease was over',
    { by: ['a'], remainingMs: 900 },
    {},
    'expired: is no longer held: the lease of a was over (lost, unless it was released just before)',
  ],
  [
    'the lease was over, and another has it',
    { by: ['a'], remainingMs: 900 },
    { by: ['b'] },
    'expired: is no longer held: the lease of a was over (lost, unless it was released just before)',
    'taken: was taken by b',
  ],
  ['passed on', { by: ['a'] }, { by: ['b'] }, 'passed: passed from a to b'],
  [
    'passed on within a client',
    { owners: [{ owner: 'f~a:1', holds: 1 }], remainingMs: 9_000 },
    { owners: [{ owner: 'f~a:2', holds: 1 }], remainingMs: 9_000 },
    'passed: passed from one section of a to another',
  ],
  [
    'the token grew',
    { by: ['a'], fence: '9' },
    { by: ['a'], fence: '10' },
    'retaken: was released and taken again by a',
  ],
  ['a token that a first look did not have', { by: ['a'] }, { by: ['a'], fence: '10' }],
  ['one reader of two leaves', { by: ['a', 'b'] }, { by: ['a'] }, 'gone: is no longer held by b'],
  ['more readers', { by: ['a'] }, { by: ['a', 'b', 'c'] }, 'taken: was taken by b and c'],
  ['many holders', {}, { by: ['a', 'b', 'c', 'd', 'e'] }, 'taken: was taken by a, b, c and 2 more'],
  ['counted down', { count: 3 }, { count: 1 }, 'counted: was counted down to 1'],
  ['opened', { count: 3 }, { count: 0 }, 'counted: was opened'],
  ['set', {}, { count: 3 }, 'counted: was set to 3'],
]

describe('what has changed between two looks', () => {
  for (const [title, was, is, ...expected] of table) {
    it(title, () => expect(told(was, is)).toEqual(expected))
  }

  it('an owner without a label, of any length, is shown in part', () => {
    const owner = `\u202e${'x'.repeat(65_536)}:1`
    const [text = ''] = told({}, { owners: [{ owner, holds: 1 }], remainingMs: 1 })
    expect(text).toMatch(/^taken: was taken by \\u\{202e\}x+…$/)
    expect(text.length).toBeLessThan(160)
  })
})
