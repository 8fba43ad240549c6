/** Whose turn it is in a line: a table, and what must hold for every line. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Entry, Line, Mode } from '../../src/stores/session/line.js'
import { blockerOf, holdersIn, inTheWayOf, inTurn, takersIn } from '../../src/stores/session/turns.js'

/** `w1 r2 r3<1`: a write, a read, and a read within the write of order 1; the number is the order, and the key. */
function lineOf(text: string): Line {
  return text
    .split(' ')
    .filter(Boolean)
    .map((each): Entry => {
      const [, letter = '', order = '', within] = /^([lwr])(\d+)(?:<(\d+))?$/.exec(each) ?? []
      const modes: Readonly<Record<string, Mode>> = { l: 'lock', w: 'write', r: 'read' }
      return {
        key: order,
        mode: modes[letter] ?? 'lock',
        order: BigInt(order),
        within: within === undefined ? undefined : BigInt(within),
        fence: undefined,
        remainingMs: 1,
      }
    })
}

const keys = (line: Line): string => line.map(({ key }) => key).join(' ')

test.each([
  // line, who has it, who watches whom
  ['', '', ''],
  ['l1', '1', ''],
  ['l1 l2 l3', '1', '2>1 3>2'],
  ['w1 w2', '1', '2>1'],
  ['r1 r2 r3', '1 2 3', ''],
  ['r1 r2 w3', '1 2', '3>2'],
  // Who reads does not overtake who waits to write (first come, first served).
  ['r1 w2 r3 r4', '1', '2>1 3>2 4>2'],
  ['w1 r2 r3 w4 r5', '1', '2>1 3>1 4>3 5>4'],
  ['w1 w2 r3', '1', '2>1 3>2'],
  // What a writer reads stands with its write, before those who have waited longer, also when the write has gone.
  ['w1 w2 r3<1', '1 3', '2>3'],
  ['w2 r3<1', '3', '2>3'],
  ['w2 r3<1 r4', '3', '2>3 4>2'],
  ['w1 r2 r3<1', '1 3', '2>1'],
  ['r2 r3<1', '3 2', ''],
])('O1: %j: %j has it', (text, holders, waits) => {
  const line = lineOf(text)
  const watching = line.flatMap((entry) => {
    const blocker = blockerOf(line, entry)
    return blocker ? [`${entry.key}>${blocker.key}`] : []
  })
  expect(keys(holdersIn(line))).toBe(holders)
  expect(watching.join(' ')).toBe(waits)
})

test.each([
  // permits of each in line, how many there are, who has some, whom the last watches
  ['', 2, '', ''],
  ['1 1 1', 3, '1 2 3', undefined],
  ['1 1 1', 2, '1 2', '1 2'],
  ['1 1 1 1 1', 2, '1 2', '3 4'],
  ['1 2 1', 2, '1', '2'],
  ['1 2 1', 0, '', ''],
  ['1 3', 2, '1', ''],
  ['2 1 2', 3, '1 2', '1 2'],
])(
  'faults B1: of %j the first have %i permits: %j; who is last watches %j',
  (text, permits, takers, watched) => {
    const line = text
      .split(' ')
      .filter(Boolean)
      .map((each, at) => ({ ...lineOf(`r${at + 1}`)[0], permits: Number(each) }))
      .filter((entry): entry is Entry & { permits: number } => entry.key !== undefined)
    expect(keys(takersIn(line, permits))).toBe(takers)
    const last = line.at(-1)
    const ways = last && inTheWayOf(line, last, permits)
    expect(last ? ways && keys(inTurn(ways)) : '').toBe(watched)
  },
)

test('faults B1: who has no permits yet has none before one of those has left that it watches', () => {
  const entries = fc.array(fc.record({ permits: fc.integer({ min: 1, max: 4 }), leaves: fc.boolean() }), {
    minLength: 1,
    maxLength: 9,
  })
  fc.assert(
    fc.property(entries, fc.integer({ min: 0, max: 6 }), (came, permits) => {
      const line = came.flatMap((each, at) =>
        lineOf(`r${at + 1}`).map((entry) => ({ ...entry, permits: each.permits })),
      )
      const last = line.at(-1)
      const watched = last && inTheWayOf(line, last, permits)
      if (!watched) return
      const left = line.filter(
        (entry, at) => entry === last || watched.includes(entry) || came[at]?.leaves === false,
      )
      expect(takersIn(left, permits)).not.toContain(last)
    }),
  )
})

const lines = fc
  .array(fc.record({ letter: fc.constantFrom('l', 'w', 'r', 'r'), gone: fc.boolean() }), { maxLength: 9 })
  .map((came) =>
    lineOf(came.flatMap(({ letter, gone }, at) => (gone ? [] : [`${letter}${at + 1}`])).join(' ')),
  )

test('O1: in no line do others have it beside one that does not read, and in every line somebody has it', () => {
  fc.assert(
    fc.property(lines, (line) => {
      const holders = holdersIn(line)
      expect(holders.length > 0).toBe(line.length > 0)
      if (holders.length > 1) expect(holders.every(({ mode }) => mode === 'read')).toBe(true)
    }),
  )
})

test('who has it keeps it, whoever comes; whom nobody watches for lets in nobody by leaving', () => {
  fc.assert(
    fc.property(lines, fc.constantFrom('l', 'w', 'r'), fc.nat(), (line, letter, which) => {
      const longer = [...line, ...lineOf(`${letter}99`)]
      expect(keys(holdersIn(longer)).startsWith(keys(holdersIn(line)))).toBe(true)
      const leaver = line[which % Math.max(line.length, 1)]
      if (!leaver) return
      for (const entry of holdersIn(line.filter((entry) => entry !== leaver))) {
        // Let in by that: then it watched the one that left.
        if (blockerOf(line, entry)) expect(blockerOf(line, entry)?.key).toBe(leaver.key)
      }
    }),
  )
})

test('the order of the answer does not matter', () => {
  fc.assert(
    fc.property(lines, (line) => {
      expect(keys(inTurn(line.toReversed()))).toBe(keys(inTurn(line)))
    }),
  )
})
