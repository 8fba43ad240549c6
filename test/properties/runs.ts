import process from 'node:process'
import fc from 'fast-check'

/** A fixed seed, so that a run is the same everywhere; `HOLDFAST_PROPERTY_RUNS` and `HOLDFAST_PROPERTY_SEED` ask for others. */
export function runsOr(usual: number): { numRuns: number; seed: number } {
  const { HOLDFAST_PROPERTY_RUNS: runs = usual, HOLDFAST_PROPERTY_SEED: seed = 7 } = process.env
  return { numRuns: Number(runs), seed: Number(seed) }
}

/** Checks so many of these values. */
export function forAll<Value>(
  values: fc.Arbitrary<Value>,
  runs: number,
  check: (value: Value) => void,
): void {
  fc.assert(fc.property(values, check), runsOr(runs))
}
