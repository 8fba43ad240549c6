/** What the benchmark makes of the fair lock's cells, and of a run of some scenarios only. */
import { describe, expect, test } from 'vitest'
import { gatesOf } from '../../bench/gates.js'
import { withAddition } from '../../bench/measure/addition.js'
import type { Figures } from '../../bench/measure/figures.js'
import type { CellResult, Results } from '../../bench/measure/results.js'
import { deliveredMessages, sentCommands } from '../../bench/measure/server-side.js'
import { documentOf } from '../../bench/report/document.js'
import { faultsOf } from '../../bench/smoke.js'

const nothing: Figures = {
  sections: 1_000,
  elapsedMs: 1_000,
  sectionsPerSecond: 1_000,
  gapP50Ms: undefined,
  gapP99Ms: undefined,
  crossingP50Ms: undefined,
  crossings: 0,
  commandsPerSection: undefined,
  clientUsPerSection: undefined,
  serverUsPerSection: undefined,
  jain: 1,
  starved: 0,
  worstWaitMs: 0,
  waitP50Ms: undefined,
  overlaps: 0,
  gaveUp: 0,
  maxRssMb: 0,
  errors: [],
}

function cell(scenario: string, library: string, figures: Partial<Figures>): CellResult {
  return {
    scenario,
    library,
    round: 0,
    tookMs: 0,
    result: { outcome: 'measured', version: '1', figures: { ...nothing, ...figures } },
  }
}

function results(startedAt: string, cells: readonly CellResult[]): Results {
  const machine = { system: 's', processor: 'p', cores: 2, memoryGb: 4, node: '20', server: 'Redis 7' }
  return {
    startedAt,
    tookMs: 60_000,
    rounds: 1,
    quick: false,
    machine,
    cells,
    heldLocks: undefined,
    blocked: [],
  }
}

const fair = [
  cell('fair-ping', 'ping', { waitP50Ms: 0.05 }),
  cell('fair-ping-rested', 'ping', { waitP50Ms: 0.1 }),
  cell('fair-2x1', 'holdfast-fair', { crossingP50Ms: 0.2, messagesPerSection: 1.01, commandsPerSection: 3 }),
  cell('fair-2x1', 'holdfast', { crossingP50Ms: 0.3, messagesPerSection: 2, commandsPerSection: 2 }),
  cell('fair-8x1', 'holdfast-fair', { messagesPerSection: 1.2 }),
  cell('fair-32x1', 'holdfast-fair', { commandsPerSection: 3.1 }),
]

describe('the gates of the fair lock', () => {
  test('are worked out from its own cells', () => {
    const gates = gatesOf({ cells: fair, blocked: [] })
    const gate = (start: string) => gates.find(({ what }) => what.startsWith(start))
    expect(gate('fair lock, 2 processes: processes woken')).toMatchObject({ reached: '1.01', ok: true })
    expect(gate('fair lock, 8 processes: processes woken')).toMatchObject({ reached: '1.20', ok: false })
    expect(gate('fair lock, 32 processes: processes woken')).toMatchObject({ ok: undefined })
    expect(gate('fair lock, 2 processes: hand-over')).toMatchObject({ reached: '4.00', ok: false })
    expect(gate('the same in round trips of a process that has slept for')).toMatchObject({ reached: '2.00' })
    expect(gate('fair lock: commands per section with 32')).toMatchObject({ reached: '1.03', ok: true })
  })
})

test('the page has a section of the fair lock, a row for each library that was measured', () => {
  const page = documentOf(results('2026-01-01', fair), [])
  const rows = page.split('\n').filter((line) => /^\| (2|8|32) \| Holdfast/.test(line))
  expect(rows).toHaveLength(4)
  expect(rows[0]).toMatch(/^\| 2 \| Holdfast, fairLock \| 0\.200 \| 4\.00 \| 2\.00 \| – \| 1\.01 \| 3\.00 \|/)
  expect(page).not.toContain('## Fair lock: loop')
})

describe('a run of some scenarios', () => {
  const before = results('2026-01-01', [
    cell('keys', 'floor', { sectionsPerSecond: 1 }),
    cell('keys', 'verrou', {}),
    cell('nested', 'holdfast', {}),
  ])
  const later = results('2026-02-02', [cell('keys', 'floor', { sectionsPerSecond: 2 })])

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

test('a quick run fails for failures and for what Holdfast did not do, not for a missing peer', () => {
  const absent = (library: string): CellResult => ({
    ...cell('keys', library, {}),
    result: { outcome: 'absent', why: 'no java on the PATH' },
  })
  expect(faultsOf([absent('redisson'), cell('fair-2x1', 'holdfast-fair', {})])).toEqual([])
  expect(faultsOf([cell('fair-2x1', 'holdfast-fair', { sections: 0 })])).toEqual([
    'fair-2x1, holdfast-fair: nobody entered a section',
  ])
  expect(faultsOf([cell('fair-2x1', 'holdfast', { overlaps: 1 })])).toHaveLength(1)
  expect(faultsOf([{ ...absent('verrou'), result: { outcome: 'failed', why: 'it broke' } }])).toHaveLength(1)
})

test("of Redisson's fair lock the server's counters tell commands and messages", () => {
  const calls = { evalsha: 4_142, subscribe: 869, unsubscribe: 869, del: 1_750, set: 875, publish: 869 }
  expect(sentCommands('redisson-fair', calls)).toBe(6_755)
  expect(deliveredMessages('redisson-fair', calls)).toBe(869)
  expect(deliveredMessages('redisson', calls)).toBeUndefined()
})
