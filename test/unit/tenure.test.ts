import { describe, expect, test } from 'vitest'
import { HoldRecord, Tenure } from '../../src/core/tenure/tenure.js'
import { heldBy, root, within } from './scenery.js'

const outer = root('client:1')
const section = within(outer)
const scopes = {
  outer,
  section,
  nested: within(section),
  sibling: within(outer),
  again: root('client:1'),
  other: root('client:2'),
}
type Name = keyof typeof scopes

test.each<[Name, Name[]]>([
  ['section', ['section', 'nested']],
  // Two roots of one owner are the same logical thread.
  ['outer', ['outer', 'section', 'nested', 'sibling', 'again']],
  ['other', ['other']],
])(
  'O2: %s encloses itself and what is nested in it, not what is beside or around it, nor another owner: %j',
  (name, enclosed) => {
    for (const [each, scope] of Object.entries(scopes))
      expect(scopes[name].encloses(scope), each).toBe(enclosed.some((it) => it === each))
  },
)

describe('Tenure.admits', () => {
  test('O2: the scope the hold on top belongs to, and what is nested in it, and nobody else', () => {
    const tenure = heldBy(section)
    const admitted = Object.entries(scopes).filter(([, scope]) => tenure.admits(scope))
    expect(admitted.map(([name]) => name)).toEqual(['section', 'nested'])
  })

  test('O3: a hold whose scope has ended belongs to the nearest enclosing one that has not', () => {
    const ended = within(outer)
    const tenure = heldBy(ended)
    ended.end()
    expect(tenure.admits(scopes.sibling)).toBe(true)
  })

  test('O3: a hold whose scopes have all ended belongs to the owner as such', () => {
    const scope = root('client:7')
    const tenure = heldBy(scope)
    const leftover = within(scope)
    scope.end()
    expect(tenure.admits(root('client:7'))).toBe(true)
    expect(tenure.admits(leftover)).toBe(false)
  })

  test('a tenure without holds admits nobody', () =>
    expect(new Tenure('lock', 'client:1').admits(outer)).toBe(false))
})

describe('Tenure', () => {
  test('L1, redisson#6144, PR #7251: it is renewed for as long as any of its holds asks for', () => {
    const scope = root('client:1')
    const tenure = heldBy(scope)
    expect(tenure.renewUntil).toBeUndefined()
    tenure.holds = [...tenure.holds, new HoldRecord(tenure, scope, 500)]
    tenure.holds = [...tenure.holds, new HoldRecord(tenure, scope, 300)]
    expect(tenure.renewUntil).toBe(500)
  })

  test('handed on in memory, it is another owner’s, with that one’s hold only; the store knows it as before', () => {
    const [first, next] = [root('client:1'), root('other:1')]
    const tenure = heldBy(first, 500)
    tenure.takenAt = 'where the first took it'
    const hold = new HoldRecord(tenure, next, 900)
    tenure.passTo(next.owner, hold, 1)
    expect(tenure).toMatchObject({ owner: 'other:1', storedAs: 'client:1', handOvers: 1, takenAt: undefined })
    expect(tenure.holds).toEqual([hold])
    expect(tenure.renewUntil).toBe(900)
    expect(tenure.admits(within(next))).toBe(true)
    expect(tenure.admits(first)).toBe(false)
    tenure.passTo(first.owner, new HoldRecord(tenure, first, 900), 2)
    expect(tenure).toMatchObject({ owner: 'client:1', storedAs: 'client:1', handOvers: 2 })
    const passed = [
      { owner: 'client:1', at: 1 },
      { owner: 'other:1', at: 2 },
    ]
    expect(tenure.passed).toEqual(passed)
    // What the store said then says nothing of the section that ended later.
    tenure.confirmedAt(1)
    expect(tenure.passed).toEqual(passed.slice(1))
    tenure.confirmedAt(2)
    expect(tenure.passed).toEqual([])
  })
})
