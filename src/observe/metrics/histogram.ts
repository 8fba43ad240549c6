/** A histogram at one moment. All times are in milliseconds. */
export interface HistogramSnapshot {
  /** The number of recorded times. */
  readonly count: number
  readonly sumMs: number
  /** The exact minimum and maximum; 0 without any record. */
  readonly minMs: number
  readonly maxMs: number
  /** The time that half of them (90 %, 99 %) do not exceed: never too low, and at most 12.5 % too high. */
  readonly p50Ms: number
  readonly p90Ms: number
  readonly p99Ms: number
  /**
   * How many times were at most `uptoMs`, shorter ones included, as in Prometheus (`le`). The bounds are the same in every
   * snapshot of every histogram: eight per doubling, every power of two among them, the last one Infinity. Counts include all
   * shorter times, so a histogram with some bounds left out is coarser but still correct.
   */
  readonly buckets: ReadonlyArray<{ readonly uptoMs: number; readonly count: number }>
}

/**
 * For the histograms of other libraries: from half a millisecond to half an hour, since locks in memory are taken in microseconds, and
 * people wait for nightly jobs.
 */
export const BOUNDS_SECONDS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800,
]

/** Linear steps within each doubling, as a power of two: 8 steps, so a bucket is at most an eighth wider than its start. */
const STEP_BITS = 3
const STEPS = 1 << STEP_BITS
/** The first bound is 2^-10 ms, just below 1 µs; the last finite one 2^27 ms, about 37 hours. */
const LOWEST_POWER = -10
const HIGHEST_POWER = 27
const LAST = (HIGHEST_POWER - LOWEST_POWER) * STEPS + 1

/** One number, by its bits: sign and exponent in the upper ones, then the fraction. */
const value = new Float64Array(1)
const halves = new Uint32Array(value.buffer)
value[0] = 1
/** Where the upper half stands; not the same on all processors. */
const UPPER = halves[0] === 0 ? 1 : 0
/** Keeps of the upper half the exponent and the first bits of the fraction: the doubling and the step within it. */
const SHIFT = 20 - STEP_BITS
const EXPONENT_OF_ONE = 1023
const FIRST_STEP = (LOWEST_POWER + EXPONENT_OF_ONE) * STEPS - 1

/** The bucket a time belongs to: the first whose bound is not below it. */
function bucketOf(ms: number): number {
  value[0] = ms
  const upper = halves[UPPER] ?? 0
  // A time that equals a bound belongs below it (`le`): the number just before it in storage is the one to look up.
  const before = halves[1 - UPPER] === 0 ? upper - 1 : upper
  const bucket = (before >>> SHIFT) - FIRST_STEP
  return bucket < 0 ? 0 : bucket > LAST ? LAST : bucket
}

const boundsMs: readonly number[] = Array.from({ length: LAST + 1 }, (_, bucket) => {
  if (bucket === LAST) return Infinity
  return 2 ** (LOWEST_POWER + Math.floor(bucket / STEPS)) * (1 + (bucket % STEPS) / STEPS)
})

/**
 * Counts lengths of time from 1 µs to more than a day in buckets of fixed bounds, log-linear as those of HdrHistogram: 3 kB for any
 * number of records, and nothing before the first.
 */
export class Histogram {
  // Not 32-bit integers: a busy client would pass their end within hours.
  #counts: Float64Array | undefined
  #sumMs = 0
  #minMs = Infinity
  #maxMs = 0

  /** What is no length of time (negative, NaN, infinite) counts as 0. */
  record(durationMs: number): void {
    const ms = durationMs > 0 && durationMs < Infinity ? durationMs : 0
    this.#counts ??= new Float64Array(LAST + 1)
    const bucket = ms === 0 ? 0 : bucketOf(ms)
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sumMs += ms
    if (ms < this.#minMs) this.#minMs = ms
    if (ms > this.#maxMs) this.#maxMs = ms
  }

  snapshot(): HistogramSnapshot {
    let count = 0
    const buckets = boundsMs.map((uptoMs, bucket) => {
      count += this.#counts?.[bucket] ?? 0
      return { uptoMs, count }
    })
    return {
      count,
      sumMs: this.#sumMs,
      minMs: count === 0 ? 0 : this.#minMs,
      maxMs: this.#maxMs,
      p50Ms: this.#percentile(0.5 * count, buckets),
      p90Ms: this.#percentile(0.9 * count, buckets),
      p99Ms: this.#percentile(0.99 * count, buckets),
      buckets,
    }
  }

  /** By nearest rank: the bound of the bucket that holds it, which none in there exceeds. */
  #percentile(rank: number, buckets: HistogramSnapshot['buckets']): number {
    const bound = buckets.find(({ count }) => count >= rank)?.uptoMs ?? 0
    return Math.min(bound, this.#maxMs)
  }
}
