/** What one process of a simulated fleet is like. */
export interface Traits {
  /** To the store, one way. */
  readonly latencyMs: number
  readonly sectionMs: number
  /** By how much its event loop is late to read what has come, at most. */
  readonly lateMs: number
  /** How many of its callers leave the line again and again before their turn. */
  readonly leaving: number
}

/** A round trip of 0.4, 10 and 200 ms: the same rack, the same region, another continent. */
const LATENCIES_MS = [0.2, 5, 100] as const

/** A third of the fleet is at each distance; one in twenty is slow; in one of ten a caller has little patience. */
export function traitsOf(process: number): Traits {
  const slow = process % 20 === 7
  return {
    latencyMs: LATENCIES_MS[process % LATENCIES_MS.length] ?? 0,
    sectionMs: slow ? 5 : 1,
    lateMs: slow ? 50 : 0,
    leaving: process % 10 === 3 ? 1 : 0,
  }
}
