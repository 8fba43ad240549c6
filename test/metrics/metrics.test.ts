import { describe, expect, test } from 'vitest'
import { type HoldfastMetrics, Metrics } from '../../src/metrics/metrics.js'

const nothing = {
  acquired: 0,
  contended: 0,
  timedOut: 0,
  cancelled: 0,
  failed: 0,
  released: 0,
  lost: { 'lease-expired': 0, 'not-in-store': 0, 'session-ended': 0 },
  handOvers: { inMemory: 0, byCommand: 0 },
  lingered: 0,
  renewals: 0,
  renewalFailures: 0,
  waiting: 0,
  held: 0,
  waitTime: expect.objectContaining({ count: 0 }),
  holdTime: expect.objectContaining({ count: 0 }),
}

const counted = (count: number, sumMs: number): unknown => expect.objectContaining({ count, sumMs })

type Event = [what: string, happen: (metrics: Metrics) => void, changed: Partial<HoldfastMetrics>]

describe('metrics', () => {
  test('begin with nothing', () => {
    expect(new Metrics().snapshot()).toEqual(nothing)
  })

  const events: Event[] = [
    ['a wait began', (metrics) => metrics.waitBegan(), { contended: 1, waiting: 1 }],
    ['a call timed out', (metrics) => metrics.timedOut(), { timedOut: 1 }],
    ['a call was cancelled', (metrics) => metrics.cancelled(), { cancelled: 1 }],
    ['a call failed', (metrics) => metrics.failed(), { failed: 1 }],
    ['a release', (metrics) => metrics.released(), { released: 1 }],
    ['a lease expired', (metrics) => metrics.lost('lease-expired'), lossOf(1, 0)],
    ['a session ended', (metrics) => metrics.lost('session-ended'), lossOf(0, 0, 1)],
    ['a lock was gone', (metrics) => metrics.lost('not-in-store'), lossOf(0, 1)],
    ['a hand-over in memory', (metrics) => metrics.handedOverInMemory(), handOversOf(1, 0)],
    ['a hand-over by command', (metrics) => metrics.handedOverByCommand(), handOversOf(0, 1)],
    ['a grant of a lock that had lingered', (metrics) => metrics.lingered(), { lingered: 1 }],
    ['a renewal', (metrics) => metrics.renewed(), { renewals: 1 }],
    ['a renewal that failed', (metrics) => metrics.renewalFailed(), { renewalFailures: 1 }],
  ]
  test.each(events)('%s is counted, and nothing else is', (_what, happen, changed) => {
    const metrics = new Metrics()
    happen(metrics)
    expect(metrics.snapshot()).toEqual({ ...nothing, ...changed })
  })

  test('a wait, a grant and a hold add up', () => {
    const metrics = new Metrics()
    metrics.waitBegan()
    metrics.waitEnded()
    metrics.granted(20)
    expect(metrics.snapshot()).toEqual({
      ...nothing,
      contended: 1,
      acquired: 1,
      held: 1,
      waitTime: counted(1, 20),
    })
    metrics.granted(0)
    metrics.holdEnded(5)
    metrics.released()
    metrics.holdEnded(7)
    metrics.lost('not-in-store')
    expect(metrics.snapshot()).toEqual({
      ...nothing,
      contended: 1,
      acquired: 2,
      released: 1,
      lost: { 'lease-expired': 0, 'not-in-store': 1, 'session-ended': 0 },
      waitTime: counted(2, 20),
      holdTime: counted(2, 12),
    })
  })

  test('a snapshot does not change with what happens later', () => {
    const metrics = new Metrics()
    const before = metrics.snapshot()
    metrics.lost('lease-expired')
    metrics.handedOverInMemory()
    metrics.granted(1)
    expect(before).toEqual(nothing)
  })
})

function lossOf(expired: number, gone: number, ended = 0): Partial<HoldfastMetrics> {
  return { lost: { 'lease-expired': expired, 'not-in-store': gone, 'session-ended': ended } }
}

function handOversOf(inMemory: number, byCommand: number): Partial<HoldfastMetrics> {
  return { handOvers: { inMemory, byCommand } }
}
