import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Histogram, type HistogramSnapshot } from '../../src/observe/metrics/histogram.js'
import { runsOr } from '../properties/runs.js'

const MICROSECOND_MS = 0.001
const DAY_MS = 86_400_000

function snapshotOf(timesMs: readonly number[]): HistogramSnapshot {
  const histogram = new Histogram()
  for (const ms of timesMs) histogram.record(ms)
  return histogram.snapshot()
}

const boundsMs = snapshotOf([]).buckets.map(({ uptoMs }) => uptoMs)
const finiteBoundsMs = boundsMs.filter(Number.isFinite)

/** Times of every order of magnitude, whole milliseconds, and the bounds themselves with their neighbours. */
const times = fc.array(
  fc.oneof(
    fc
      .double({ min: Math.log(MICROSECOND_MS), max: Math.log(DAY_MS), noNaN: true })
      .map((power) => Math.min(Math.max(Math.exp(power), MICROSECOND_MS), DAY_MS)),
    fc.nat(5_000).map((ms) => ms + 1),
    fc.constantFrom(...finiteBoundsMs.filter((ms) => ms >= MICROSECOND_MS && ms <= DAY_MS)),
    fc.constantFrom(...finiteBoundsMs.filter((ms) => ms < DAY_MS)).map((ms) => ms * (1 + Number.EPSILON)),
  ),
  { minLength: 1, maxLength: 200 },
)

describe('a histogram', () => {
  test('agrees with the sorted list of what was recorded', () =>
    fc.assert(
      fc.property(times, (recorded) => {
        const sorted = [...recorded].sort((a, b) => a - b)
        const snapshot = snapshotOf(recorded)
        expect(snapshot.count).toBe(sorted.length)
        expect(snapshot.sumMs).toBe(recorded.reduce((sum, ms) => sum + ms, 0))
        expect(snapshot.minMs).toBe(sorted[0])
        expect(snapshot.maxMs).toBe(sorted.at(-1))
        const { p50Ms, p90Ms, p99Ms } = snapshot
        for (const [percent, found] of Object.entries({ 50: p50Ms, 90: p90Ms, 99: p99Ms })) {
          const exact = sorted[Math.ceil((Number(percent) / 100) * sorted.length) - 1] ?? Number.NaN
          expect(found).toBeGreaterThanOrEqual(exact)
          expect(found).toBeLessThanOrEqual(exact * 1.125)
        }
        expect(snapshot.buckets).toEqual(
          boundsMs.map((uptoMs) => ({ uptoMs, count: sorted.filter((ms) => ms <= uptoMs).length })),
        )
      }),
      runsOr(300),
    ))

  test('has bounds from 1 µs to a day, an eighth apart at most, with every power of two among them', () => {
    expect(boundsMs).toHaveLength(298)
    expect(finiteBoundsMs[0]).toBeLessThanOrEqual(MICROSECOND_MS)
    expect(finiteBoundsMs.at(-1)).toBeGreaterThanOrEqual(DAY_MS)
    expect(boundsMs.at(-1)).toBe(Number.POSITIVE_INFINITY)
    finiteBoundsMs.reduce((previous, bound) => {
      expect(bound).toBeGreaterThan(previous)
      expect(bound).toBeLessThanOrEqual(previous * 1.125)
      return bound
    })
    for (let power = -10; power <= 27; power += 1) expect(boundsMs).toContain(2 ** power)
  })

  test('is all zeros while nothing was recorded', () => {
    const { buckets, ...numbers } = new Histogram().snapshot()
    expect(numbers).toEqual({ count: 0, sumMs: 0, minMs: 0, maxMs: 0, p50Ms: 0, p90Ms: 0, p99Ms: 0 })
    expect(buckets.every(({ count }) => count === 0)).toBe(true)
  })

  test('counts what is shorter than its range in the first bucket, and what is longer in the last', () => {
    const weekMs = 7 * DAY_MS
    const snapshot = snapshotOf([0, 1e-9, weekMs])
    expect(snapshot.buckets[0]?.count).toBe(2)
    expect(snapshot.buckets.at(-2)?.count).toBe(2)
    expect(snapshot.buckets.at(-1)?.count).toBe(3)
    expect(snapshot).toMatchObject({ minMs: 0, maxMs: weekMs, p99Ms: weekMs })
    expect(snapshot.p50Ms).toBeLessThan(MICROSECOND_MS)
  })

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0])(
    'takes %d for 0, so that one bad reading spoils nothing',
    (ms) => expect(snapshotOf([ms, 2])).toMatchObject({ count: 2, sumMs: 2, minMs: 0, maxMs: 2, p99Ms: 2 }),
  )

  test('a snapshot does not change with what is recorded later', () => {
    const histogram = new Histogram()
    histogram.record(1)
    const before = histogram.snapshot()
    const copy = structuredClone(before)
    histogram.record(5)
    expect(before).toEqual(copy)
    expect(histogram.snapshot().count).toBe(2)
  })
})
