/** What the benchmark makes of the fleet's cells, and of a run of some scenarios only. */
import { describe, expect, test } from 'vitest'
import { gatesOf } from '../../bench/gates.js'
import { withAddition } from '../../bench/measure/addition.js'
import { deliveredMessages, sentCommands } from '../../bench/measure/redis-side.js'
import type { CellResult } from '../../bench/measure/results.js'
import { documentOf } from '../../bench/report/document.js'
import { faultsOf } from '../../bench/smoke.js'
import { cell, results } from './cells.js'

const fleet = [
  cell('fleet-ping', 'ping', { waitP50Ms: 0.05 }),
  cell('fleet-ping-rested', 'ping', { waitP50Ms: 0.1 }),
  cell('fleet-2x1', 'holdfast-fair', {
    crossingP50Ms: 0.2,
    messagesPerSection: 1.01,
    commandsPerSection: 2.05,
  }),
  cell('fleet-2x1', 'holdfast', { messagesPerSection: 1.01, commandsPerSection: 2 }),
  cell('fleet-8x1', 'holdfast', {
    messagesPerSection: 1.2,
    commandsPerSection: 2.1,
    clientUsPerSection: 100,
  }),
  cell('fleet-32x1', 'holdfast', {
    messagesPerSection: 1,
    commandsPerSection: 2.05,
    sectionsPerSecond: 800,
    clientUsPerSection: 150,
  }),
]

describe('the gates of a fleet', () => {
  test('are worked out from its own cells', () => {
    const gates = gatesOf({ cells: fleet, blocked: [] })
    const gate = (start: string) => gates.find(({ what }) => what.startsWith(start))
    expect(gate('fleet 2x1, 8x1, 32x1: processes woken')).toMatchObject({
      reached: '1.01, 1.20, 1.00',
      ok: false,
    })
    expect(gate('fleet 2x1, 8x1, 32x1: commands')).toMatchObject({ reached: '2.00, 2.10, 2.05', ok: true })
    expect(gate('fair fleet 2x1, 8x1, 32x1: commands')).toMatchObject({ ok: undefined })
    expect(gate('fleet: sections/s with 32')).toMatchObject({ reached: '0.80', ok: true })
    expect(gate('fleet: client CPU per section with 32')).toMatchObject({ reached: '1.50', ok: false })
    expect(gate('fair fleet 2x1: hand-over')).toMatchObject({ reached: '4.00', ok: false })
    expect(gate('the same in round trips of a process that has slept for')).toMatchObject({ reached: '2.00' })
  })
})

test('the page has a section of the fleet, a row for each library that was measured', () => {
  const page = documentOf(results(fleet), [])
  const rows = page.split('\n').filter((line) => /^\| (2|8|32) \| Holdfast/.test(line))
  expect(rows).toHaveLength(4)
  expect(rows[1]).toMatch(/^\| 2 \| Holdfast, fairLock \| 0\.200 \| 4\.00 \| 2\.00 \| – \| 1\.01 \| 2\.05 \|/)
  expect(page).not.toContain('## Fleet: loop')
})

describe('a run of some scenarios', () => {
  const before = results([
    cell('keys', 'floor', { sectionsPerSecond: 1 }),
    cell('keys', 'verrou', {}),
    cell('nested', 'holdfast', {}),
  ])
  const later = results([cell('keys', 'floor', { sectionsPerSecond: 2 })], { startedAt: '2026-02-02' })

  test('takes the place of whole scenarios and leaves the others', () => {
    const { cells, startedAt, additions } = withAddition(before, later)
    expect(cells.map(({ scenario, library }) => `${scenario} ${library}`)).toEqual([
      'nested holdfast',
      'keys floor',
    ])
    expect(startedAt).toBe('2026-01-01')
    expect(additions).toMatchObject([{ startedAt: '2026-02-02', scenarios: ['keys'] }])
  })

  test('is told of on the page; one that was run again is not', () => {
    const twice = withAddition(withAddition(before, later), { ...later, startedAt: '2026-03-03' })
    const page = documentOf(twice, [])
    expect(page).toContain('Of a later run, 2026-03-03, 1 round: `keys`.')
    expect(page).not.toContain('2026-02-02')
  })
})

const faultsIn = (...cells: CellResult[]): string[] => faultsOf({ cells })

test('a quick run fails for failures and for what Holdfast did not do, not for a missing peer', () => {
  const absent = (library: string): CellResult => ({
    ...cell('keys', library, {}),
    result: { outcome: 'absent', why: 'no java on the PATH' },
  })
  expect(faultsIn(absent('redisson'), cell('fleet-2x1', 'holdfast-fair', {}))).toEqual([])
  expect(faultsIn(cell('fleet-2x1', 'holdfast-fair', { sections: 0 }))).toEqual([
    'fleet-2x1, holdfast-fair: nobody entered a section',
  ])
  expect(faultsIn(cell('fleet-2x1', 'holdfast', { overlaps: 1 }))).toHaveLength(1)
  expect(faultsIn({ ...absent('verrou'), result: { outcome: 'failed', why: 'it broke' } })).toHaveLength(1)
})

test("of Redisson's fair lock the server's counters tell commands and messages", () => {
  const calls = { evalsha: 4_142, subscribe: 869, unsubscribe: 869, del: 1_750, set: 875, publish: 869 }
  expect(sentCommands('redisson-fair', calls)).toBe(6_755)
  expect(deliveredMessages('redisson-fair', calls)).toBe(869)
  expect(deliveredMessages('redisson', calls)).toBeUndefined()
})
