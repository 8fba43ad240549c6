import process from 'node:process'
import fc from 'fast-check'

/** A fixed seed, so that a run is the same everywhere; `HOLDFAST_PROPERTY_RUNS` and `HOLDFAST_PROPERTY_SEED` ask for others. */
export function runsOr(usual: number): { numRuns: number; seed: number } {
  return {
    numRuns: Number(process.env['HOLDFAST_PROPERTY_RUNS'] ?? usual),
    seed: Number(process.env['HOLDFAST_PROPERTY_SEED'] ?? 7),
  }
}

/** Checks so many of these values. */
export function forAll<Value>(
  values: fc.Arbitrary<Value>,
  runs: number,
  check: (value: Value) => void,
): void {
  fc.assert(fc.property(values, check), runsOr(runs))
}
