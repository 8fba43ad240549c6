import process from 'node:process'

/** A fixed seed, so that a run is the same everywhere; `HOLDFAST_PROPERTY_RUNS` and `HOLDFAST_PROPERTY_SEED` ask for others. */
export function runsOr(usual: number): { numRuns: number; seed: number } {
  return {
    numRuns: Number(process.env['HOLDFAST_PROPERTY_RUNS'] ?? usual),
    seed: Number(process.env['HOLDFAST_PROPERTY_SEED'] ?? 7),
  }
}
