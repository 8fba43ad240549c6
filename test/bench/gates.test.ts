/** What the benchmark makes of the figures of its rounds: medians, ratios, gates. */
import { describe, expect, test } from 'vitest'
import { allAtMost, atLeast, atMost, doNotGrow } from '../../bench/gate.js'
import { gatesOf } from '../../bench/gates.js'
import type { CellResult } from '../../bench/measure/results.js'
import { ratioIn, summarise } from '../../bench/measure/summary.js'
import { bestPeer } from '../../bench/peers.js'
import { faultsOf } from '../../bench/smoke.js'
import { cell } from './cells.js'

function failed(scenario: string, library: string, round: number): CellResult {
  return { scenario, library, round, tookMs: 0, result: { outcome: 'failed', why: 'it broke' } }
}

describe('a summary', () => {
  test('has medians, the worst of what must not happen, and what went wrong', () => {
    const cells = [
      cell('burst-1x50', 'floor', { sectionsPerSecond: 90, overlaps: 0, jain: 0.5 }),
      cell('burst-1x50', 'floor', { sectionsPerSecond: 100, overlaps: 3, jain: 0.7 }, 1),
      failed('burst-1x50', 'floor', 2),
    ]
    const summary = summarise(cells, 'burst-1x50', 'floor')
    expect(summary).toMatchObject({ rounds: 2, troubles: ['failed: it broke'] })
    expect(summary?.figures).toMatchObject({ sectionsPerSecond: 95, overlaps: 3 })
    expect(summary?.figures?.jain).toBeCloseTo(0.6)
  })
})

test('a ratio is the median of those within each round', () => {
  const rate = (library: string, rates: readonly number[]): CellResult[] =>
    rates.map((sectionsPerSecond, round) => cell('keys', library, { sectionsPerSecond }, round))
  // The machine was half as fast in the second round.
  const cells = [
    ...rate('holdfast', [90, 45, 99]),
    ...rate('floor', [100, 50, 100]),
    failed('keys', 'floor', 3),
  ]
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
    expect(allAtMost('x', [1, 2], [1, 2.1])).toMatchObject({
      ok: false,
      needed: '≤ 1, 2',
      reached: '1.00, 2.10',
    })
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
    const cells = [
      cell('sequential', 'ping', { sectionsPerSecond: 10_000 }),
      cell('burst-4x25', 'redis-semaphore', { sectionsPerSecond: 250 }),
      cell('burst-4x25', 'holdfast', {
        sectionsPerSecond: 700,
        crossingP50Ms: 0.25,
        commandsPerSection: 0.5,
      }),
      ...[1, 10, 100, 1_000].map((waiters) =>
        cell(`growth-1x${waiters}`, 'holdfast', { commandsPerSection: 2 / waiters }),
      ),
    ]
    const gates = gatesOf({ cells, blocked: [] })
    const gate = (start: string) => gates.find(({ what }) => what.startsWith(start))
    expect(gate('burst 4x25: times the best peer')).toMatchObject({ reached: '2.80', ok: true })
    expect(gate('burst 4x25: hand-over')).toMatchObject({ reached: '2.50', ok: true })
    expect(gate('growth, 1 process ')).toMatchObject({ ok: true })
    expect(gate('growth, 2 processes')).toMatchObject({ ok: undefined })
    expect(gate('main thread blocked for 3 leases, watchdog')).toMatchObject({ ok: undefined })
  })

  test('a thread that keeps the lock passes, one that loses it does not', () => {
    const seen = (held: boolean) => ({
      heldAtFirstCheck: held,
      abortedAtFirstCheck: !held,
      abortedSoonAfter: !held,
      keyThere: held,
    })
    const [kept, lost] = [seen(true), seen(false)]
    const verdicts = (on: typeof kept, off: typeof kept) =>
      gatesOf({
        cells: [],
        blocked: [
          { watchdogThread: false, ...off },
          { watchdogThread: true, ...on },
        ],
      })
        .slice(-2)
        .map(({ ok }) => ok)
    expect(verdicts(kept, lost)).toEqual([true, true])
    expect(verdicts({ ...kept, keyThere: false }, kept)).toEqual([false, false])
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
