/** What the benchmark makes of the figures of its rounds: medians, ratios, gates. */
import { describe, expect, test } from 'vitest'
import { allAtMost, atLeast, atMost, doNotGrow } from '../../bench/gate.js'
import { gatesOf } from '../../bench/gates.js'
import type { Figures } from '../../bench/measure/figures.js'
import type { CellResult } from '../../bench/measure/results.js'
import { ratioIn, summarise } from '../../bench/measure/summary.js'
import { bestPeer } from '../../bench/peers.js'
import { faultsOf } from '../../bench/smoke.js'

const nothing: Figures = {
  ...{ sections: 1_000, elapsedMs: 1_000, sectionsPerSecond: 1_000 },
  ...{ gapP50Ms: undefined, gapP99Ms: undefined, crossingP50Ms: undefined, crossings: 0 },
  ...{ commandsPerSection: undefined, clientUsPerSection: undefined, serverUsPerSection: undefined },
  ...{ jain: 1, starved: 0, worstWaitMs: 0, waitP50Ms: undefined },
  ...{ overlaps: 0, gaveUp: 0, maxRssMb: 0, errors: [] },
}

/** What came of a library in a scenario: these figures, and the others as if nothing had happened. */
function cell(scenario: string, library: string, figures: Partial<Figures>, round = 0): CellResult {
  const result = { outcome: 'measured', version: '1', figures: { ...nothing, ...figures } } as const
  return { scenario, library, round, tookMs: 0, result }
}

function failed(scenario: string, library: string, round: number): CellResult {
  return { ...cell(scenario, library, {}, round), result: { outcome: 'failed', why: 'it broke' } }
}

/** Finds a gate of these cells by the beginning of what it says. */
function gatesBy(cells: readonly CellResult[]) {
  const gates = gatesOf({ cells, blocked: [] })
  return (start: string) => gates.find(({ what }) => what.startsWith(start))
}

test('a summary has medians, the worst of what must not happen, and what went wrong', () => {
  const cells = [
    cell('burst-1x50', 'floor', { sectionsPerSecond: 90, overlaps: 0, jain: 0.5 }),
    cell('burst-1x50', 'floor', { sectionsPerSecond: 100, overlaps: 3, jain: 0.7 }, 1),
    failed('burst-1x50', 'floor', 2),
  ]
  const figures = { sectionsPerSecond: 95, overlaps: 3, jain: expect.closeTo(0.6) }
  const summary = { rounds: 2, troubles: ['failed: it broke'], figures }
  expect(summarise(cells, 'burst-1x50', 'floor')).toMatchObject(summary)
})

test('a ratio is the median of those within each round', () => {
  const rate = (library: string, rates: readonly number[]): CellResult[] =>
    rates.map((sectionsPerSecond, round) => cell('keys', library, { sectionsPerSecond }, round))
  // The machine was half as fast in the second round.
  const lost = failed('keys', 'floor', 3)
  const cells = [...rate('holdfast', [90, 45, 99]), ...rate('floor', [100, 50, 100]), lost]
  const toHoldfast = (library: string): number | undefined =>
    ratioIn(cells, 'keys', ['holdfast', library], (figures) => figures.sectionsPerSecond)
  expect(toHoldfast('floor')).toBe(0.9)
  expect(toHoldfast('verrou')).toBeUndefined()
})

describe('gates', () => {
  test('compare with what is needed', () => {
    expect(atLeast('x', 0.92, 0.92).ok).toBe(true)
    expect(atLeast('x', 0.92, 0.919)).toMatchObject({ ok: false, needed: '≥ 0.92', reached: '0.92' })
    expect(atMost('x', 0, 1).ok).toBe(false)
    const exceeded = { ok: false, needed: '≤ 1, 2', reached: '1.00, 2.10' }
    expect(allAtMost('x', [1, 2], [1, 2.1])).toMatchObject(exceeded)
    expect(allAtMost('x', 1, [1, undefined])).toMatchObject({ ok: undefined, reached: 'not measured' })
    expect(doNotGrow('x', [2, 2.1, 1]).ok).toBe(true)
    expect(doNotGrow('x', [2, 2.2]).ok).toBe(false)
    expect(atMost('x', 0, undefined)).toMatchObject({ ok: undefined, reached: 'not measured' })
  })

  test('the best peer is a peer, not the floor nor a library of another runtime', () => {
    const cells = [
      cell('burst-4x25', 'floor', { sectionsPerSecond: 900 }),
      cell('burst-4x25', 'redisson', { sectionsPerSecond: 800 }),
      cell('burst-4x25', 'redlock-5', { sectionsPerSecond: 124 }),
      cell('burst-4x25', 'redis-semaphore', { sectionsPerSecond: 254 }),
    ]
    expect(bestPeer(cells, 'burst-4x25')).toBe('redis-semaphore')
    expect(bestPeer(cells, 'burst-4x25', (name) => name !== 'redis-semaphore')).toBe('redlock-5')
    expect(bestPeer(cells, 'keys')).toBeUndefined()
  })

  test('are worked out from the cells', () => {
    const figures = { sectionsPerSecond: 700, crossingP50Ms: 0.25, commandsPerSection: 0.5 }
    const gate = gatesBy([
      cell('sequential', 'ping', { sectionsPerSecond: 10_000 }),
      cell('burst-4x25', 'redis-semaphore', { sectionsPerSecond: 250 }),
      cell('burst-4x25', 'holdfast', figures),
      ...[1, 10, 100, 1_000].map((waiters) =>
        cell(`growth-1x${waiters}`, 'holdfast', { commandsPerSection: 2 / waiters }),
      ),
    ])
    expect(gate('burst 4x25: times the best peer')).toMatchObject({ reached: '2.80', ok: true })
    expect(gate('burst 4x25: hand-over')).toMatchObject({ reached: '2.50', ok: true })
    expect(gate('growth, 1 process ')).toMatchObject({ ok: true })
    expect(gate('growth, 2 processes')).toMatchObject({ ok: undefined })
    expect(gate('main thread blocked for 3 leases, watchdog')).toMatchObject({ ok: undefined })
  })

  test('a thread that keeps the lock passes, one that loses it does not', () => {
    const seen = (held: boolean) => ({
      ...{ heldAtFirstCheck: held, keyThere: held },
      ...{ abortedAtFirstCheck: !held, abortedSoonAfter: !held },
    })
    const [kept, lost] = [seen(true), seen(false)]
    const verdicts = (on: typeof kept, off: typeof kept) => {
      const blocked = [
        { watchdogThread: false, ...off },
        { watchdogThread: true, ...on },
      ]
      const gates = gatesOf({ cells: [], blocked })
      return gates.slice(-2).map(({ ok }) => ok)
    }
    expect(verdicts(kept, lost)).toEqual([true, true])
    expect(verdicts({ ...kept, keyThere: false }, kept)).toEqual([false, false])
  })
})

const fleet = [
  cell('fleet-ping', 'ping', { waitP50Ms: 0.05 }),
  cell('fleet-ping-rested', 'ping', { waitP50Ms: 0.1 }),
  cell('fleet-2x1', 'holdfast-fair', {
    crossingP50Ms: 0.2,
    messagesPerSection: 1.01,
    commandsPerSection: 2.05,
  }),
  cell('fleet-2x1', 'holdfast', { messagesPerSection: 1.01, commandsPerSection: 0.2, worstWaitMs: 60 }),
  cell('fleet-16x1', 'holdfast', { sectionsPerSecond: 810, clientUsPerSection: 120, worstWaitMs: 400 }),
  cell('fleet-32x1', 'redis-semaphore', { sectionsPerSecond: 790, clientUsPerSection: 300 }),
  cell('fleet-16x1', 'redis-semaphore', { sectionsPerSecond: 800, clientUsPerSection: 150 }),
  cell('fleet-16x1', 'redlock-5', { sectionsPerSecond: 900, clientUsPerSection: 100, jain: 0.43 }),
  cell('fleet-16x1', 'node-redisson', { sectionsPerSecond: 900, clientUsPerSection: 150 }),
  cell('fleet-8x1', 'holdfast', {
    messagesPerSection: 1.2,
    commandsPerSection: 0.21,
    clientUsPerSection: 100,
  }),
  cell('fleet-32x1', 'holdfast', {
    ...{ messagesPerSection: 1, commandsPerSection: 0.205, sectionsPerSecond: 800 },
    ...{ clientUsPerSection: 150, worstWaitMs: 1_400 },
  }),
]
const fairest =
  "with 16, redlock-5 has Jain's index 0.43; over redis-semaphore, the fastest with 0.9 or more: 0.80; see "

test.each([
  ['fleet 2x1, 8x1, 32x1: processes woken', { reached: '1.01, 1.20, 1.00', ok: false }],
  ['fleet 2x1, 8x1, 32x1: commands', { reached: '0.20, 0.21, 0.20', ok: true }],
  // The fastest that polls, not the one that broadcasts; nobody polls in the fleet of two.
  ['fleet 2x1, 16x1, 32x1: sections/s', { ok: undefined }],
  [
    '… client CPU per section over its, 16x1',
    { reached: '1.20, 0.50', ok: false, note: expect.stringContaining(fairest) },
  ],
  ['fleet 2x1, 16x1, 32x1: longest wait', { reached: '1.20, 1.00, 1.75', ok: false }],
  ['fair fleet 2x1, 8x1, 32x1: commands', { ok: undefined }],
  ['fleet: sections/s with 32', { reached: '0.80', ok: true }],
  ['fleet: client CPU per section with 32', { reached: '1.50', ok: false }],
  ['fair fleet 2x1: hand-over', { reached: '4.00', ok: false, note: expect.any(String) }],
  ['the same in round trips of a process that has slept for', { reached: '2.00' }],
])('of its own cells, a fleet’s gate “%s”', (start, expected) => {
  expect(gatesBy(fleet)(start)).toMatchObject(expected)
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
