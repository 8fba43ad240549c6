/** What the benchmark makes of its figures on all stores. */
import { describe, expect, test } from 'vitest'
import { entryOf } from '../../bench/catalog.js'
import { withAddition } from '../../bench/measure/addition.js'
import type { CellResult, TableGrowth } from '../../bench/measure/results.js'
import { faultsOf } from '../../bench/smoke.js'
import { storesDocumentOf } from '../../bench/stores/document.js'
import { storeGatesOf } from '../../bench/stores/gates.js'
import { storeScenarios } from '../../bench/stores/scenarios.js'
import { BEGIN, END, sideBySideOf, withSideBySide } from '../../bench/stores/side-by-side.js'
import { cell, results } from './cells.js'

function table(system: TableGrowth['system'], mostBytes: number): TableGrowth {
  return { system, names: 100, sections: 50_000, sectionsPerSecond: 1_000, mostBytes, bytes: mostBytes }
}

const cells = [
  cell('postgres-sequential', 'holdfast-store', { roundTripsPerSection: 2 }),
  cell('postgres-fleet-8x1', 'holdfast-store', { messagesPerSection: 1.2 }),
  cell('postgres-burst-4x25', 'holdfast-store', { sectionsPerSecond: 500 }),
  cell('postgres-burst-4x25', 'verrou-database', { sectionsPerSecond: 10 }),
  cell('postgres-burst-4x25', 'poll-50', { sectionsPerSecond: 50 }),
  cell('postgres-burst-4x25', 'poll-100', { sectionsPerSecond: 100 }),
  cell('mysql-burst-4x25', 'holdfast-store', { commandsPerSection: 1 }),
  cell('mysql-burst-4x25', 'verrou-database', { commandsPerSection: 4 }),
  cell('mysql-burst-4x25', 'poll-50', { commandsPerSection: 2 }),
  cell('mysql-burst-4x25', 'poll-100', { commandsPerSection: 1 }),
  cell('postgres-growth-1x1', 'holdfast-store', { sections: 1, commandsPerSection: 2 }),
  cell('postgres-growth-1x10', 'holdfast-store', { sections: 10, commandsPerSection: 1.1 }),
]

describe('the gates on all stores', () => {
  const gates = storeGatesOf({ cells, tables: [table('PostgreSQL', 2 ** 20)] })
  const gate = (start: string) => gates.find(({ what }) => what.startsWith(start))

  test('compare with each that polls', () => {
    expect(gate('PostgreSQL, burst 4x25')).toMatchObject({ reached: '50.0, 10.0, 5.00', ok: false })
    expect(gates.filter(({ what }) => what.startsWith('… statements'))).toMatchObject([
      { reached: '0.25, 0.50, 1.00', ok: false },
      { ok: undefined },
    ])
  })

  test('count round trips, clients that were woken, and what a hand-over costs', () => {
    expect(gate('PostgreSQL, uncontended')).toMatchObject({ reached: '2.00', ok: true })
    expect(gate('PostgreSQL, fleet 8x1')).toMatchObject({ reached: '1.20', ok: false })
    expect(gate('PostgreSQL, burst 1x10')).toMatchObject({ reached: '1.00', ok: false })
    expect(gate('MySQL, burst 1x10')).toMatchObject({ ok: undefined })
  })

  test('compare those that take turns with the neighbours in their line', () => {
    const inTurns = (library: string, sectionsPerSecond: number): CellResult[] =>
      ['etcd-turns-2x1', 'etcd-turns-8x1'].map((scenario) => cell(scenario, library, { sectionsPerSecond }))
    const compared = storeGatesOf({ cells: [...inTurns('holdfast-store', 570), ...inTurns('go-mutex', 30)] })
    expect(compared.find(({ what }) => what.startsWith('etcd, 2 and 8'))).toMatchObject({
      reached: '19.0, 19.0',
      ok: false,
    })
    expect(compared.find(({ what }) => what.startsWith('ZooKeeper, 2 and 8'))).toMatchObject({
      ok: undefined,
    })
  })

  test('look at the size of a table', () => {
    expect(gate('PostgreSQL: 50000 sections')).toMatchObject({ reached: '1.00', ok: true })
  })
})

test('every library of a scenario is known', () => {
  for (const { libraries } of storeScenarios) expect(libraries.map(entryOf)).toHaveLength(libraries.length)
})

test('the page leaves out what was not run, and columns that nobody counts', () => {
  const page = storesDocumentOf(results(cells), [])
  expect(page).toContain('### PostgreSQL: Burst 4x25')
  expect(page).not.toContain('MariaDB: Burst')
  expect(page).not.toContain('clients woken per section | statements')
  expect(page).toMatch(/^\| PostgreSQL \| 1 \| 2\.00 \| 1\.10 \| – \| – \|$/m)
})

test('a table that was looked at again takes the place of that one alone', () => {
  const before = results([], { tables: [table('PostgreSQL', 1), table('MySQL', 2)] })
  const after = withAddition(before, results([], { tables: [table('MySQL', 3)] }))
  expect(after.tables).toMatchObject([
    { system: 'PostgreSQL', mostBytes: 1 },
    { system: 'MySQL', mostBytes: 3 },
  ])
  expect(after.additions).toMatchObject([{ scenarios: ['mysql-table-growth'] }])
})

describe('the part of the page about all stores', () => {
  const takeOvers = [{ system: 'etcd', watchdogMs: 3_000, medianMs: 2_500, worstMs: 3_900 }] as const
  const all = [
    ...cells,
    cell('etcd-sequential', 'holdfast-store', { sectionsPerSecond: 900, commandsPerSection: 2 }),
    cell('etcd-fleet-8x1', 'holdfast-store', { crossingP50Ms: 1.5 }),
  ]

  test('has a row for each that was measured, and says how long a killed holder has the lock', () => {
    const part = sideBySideOf(results(all, { takeOvers }), [])
    expect(part).toMatch(/^\| etcd \| 900 \| 2\.00 \|.*\| 1\.50 \| – \|$/m)
    expect(part).not.toContain('memcached |')
    expect(part).toContain('| etcd | 3 000 | 2 500 | 3 900 |')
  })

  test('takes the place of what was between its lines, and of nothing else', () => {
    const page = withSideBySide(`before\n${BEGIN}\nold\n${END}\nafter\n`, 'new')
    expect(page).toBe(`before\n${BEGIN}\n\nnew\n${END}\nafter\n`)
    expect(withSideBySide(page, 'new')).toBe(page)
    expect(() => withSideBySide('no lines', 'new')).toThrow('docs/stores.md')
  })

  test('a holder that was killed again on one store takes the place of that one alone', () => {
    const before = results([], { takeOvers: [...takeOvers, { ...takeOvers[0], system: 'Redis' }] })
    const after = withAddition(before, results([], { takeOvers: [{ ...takeOvers[0], medianMs: 1 }] }))
    expect(after.takeOvers).toMatchObject([
      { system: 'Redis', medianMs: 2_500 },
      { system: 'etcd', medianMs: 1 },
    ])
    expect(after.additions).toMatchObject([{ scenarios: ['etcd-crash'] }])
  })
})

test('a quick run does not fail for a database that is not to be had, but for a table that could not grow', () => {
  const skipped: CellResult = {
    ...cell('mysql-sequential', 'holdfast-store', {}),
    result: { outcome: 'skipped', why: 'no MySQL is to be had' },
  }
  expect(faultsOf({ cells: [skipped] })).toEqual([])
  expect(faultsOf({ cells: [], tables: [{ failed: 'no room' }] })).toEqual(['the table of locks: no room'])
})
