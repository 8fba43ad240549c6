/** One lock as `inspect` and `watch` show it: aligned, and coloured by what is the matter. */
import { afterAll, expect, it, vi } from 'vitest'
import { cards } from '../../src/cli/card.js'
import type { LockView } from '../../src/cli/lock-view.js'
import type { Colours } from '../../src/cli/output.js'

vi.useFakeTimers({ now: 1_790_000_000_000, toFake: ['Date'] })
afterAll(() => void vi.useRealTimers())

const as = (colour: string) => (text: string) => `<${colour}>${text}`
const colours: Colours = {
  ...{ plain: (text: string) => text, bold: as('bold'), dim: (text: string) => text },
  ...{ green: as('green'), red: as('red'), yellow: as('yellow') },
}
const held: LockView = {
  name: 'invoice:42',
  kind: 'lock',
  owners: [{ owner: 'f~web-1:1', holds: 1, heldSince: Date.now() - 125_000 }],
  remainingMs: 20_000,
  waitingClients: 0,
}
const shown = (lock: Partial<LockView>): readonly string[] =>
  cards([{ ...held, ...lock }], colours).split('\n')

it('says for how long it is held, in a line of its own', () =>
  expect(shown({})).toEqual([
    'Lock      <bold>invoice:42',
    'Kind      lock',
    'State     <yellow>held',
    'Held for  2 min 5 s',
    expect.stringMatching(/^Owner {5}web-1 \(f:1, since \d{4}-.+Z\)$/),
    'Lease     20.0 s left',
    'Waiting   0 clients',
  ]))

it('is green where others are let in, and red where the lease is about to end', () => {
  expect(shown({ mode: 'read', kind: 'read-write lock' })[2]).toMatch(/^State +<green>held to read$/)
  expect(shown({ kind: 'semaphore', available: 1 })[2]).toMatch(/^State +<green>held$/)
  expect(shown({ owners: [], remainingMs: 0 })[2]).toMatch(/^State +<green>free$/)
  expect(shown({ remainingMs: 900 })[5]).toMatch(/^Lease +<red>900 ms left$/)
  expect(shown({ waitingClients: 2 }).at(-1)).toMatch(/^Waiting +<yellow>2 clients$/)
})

it('tells of each of several holders for how long', () => {
  const owners = ['web-1', 'web-2'].map((each, index) => ({
    ...{ owner: `f~${each}:1`, holds: 1 },
    heldSince: Date.now() - 60_000 * (index + 1),
  }))
  const lines = shown({ owners, kind: 'semaphore', available: 0 })
  expect(lines).toContain('Held for   2 min')
  expect(lines.filter((line) => /for 1 min, since .+Z\)$/.test(line))).toHaveLength(1)
})
