import process from 'node:process'
import fc from 'fast-check'
import { vi } from 'vitest'
import { plans } from './program.js'
import { fates } from './slow-port.js'
import { type Laws, World } from './world.js'
import type { Setting } from './worlds.js'

/** `HOLDFAST_MODEL_RUNS` asks for more runs, `HOLDFAST_MODEL_SEED` for others. */
export function runsOr(usual: number): { numRuns: number; seed: number } {
  return {
    numRuns: Number(process.env['HOLDFAST_MODEL_RUNS'] ?? usual),
    seed: Number(process.env['HOLDFAST_MODEL_SEED'] ?? 42),
  }
}

/** A net under what hangs, no measure of speed: a busy machine may need minutes for what a quiet one does in seconds. */
export const timeLimitMs = 600_000 + Number(process.env['HOLDFAST_MODEL_RUNS'] ?? 0) * 60

/** Runs plans of this world in interleavings of the scheduler's choice. Prints plan and history on failure. */
export async function checkModel(
  setting: Setting,
  usualRuns: number,
  but: Partial<Laws> = {},
): Promise<void> {
  // Pauses between retries are spread at random; here the run must be repeatable.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const fate = fc.oneof({ weight: 3, arbitrary: fc.constant('answered' as const) }, fc.constantFrom(...fates))
  const fatesOfCommands = setting.fails ? fc.array(fate, { maxLength: 25 }) : fc.constant([])
  const laws = { ...setting.laws, ...but }
  try {
    await fc.assert(
      fc.asyncProperty(plans(setting.scope), fatesOfCommands, fc.scheduler(), (plan, fates, scheduler) =>
        new World(plan, laws, scheduler, fates).run(),
      ),
      { ...runsOr(usualRuns), interruptAfterTimeLimit: timeLimitMs - 10_000, markInterruptAsFailure: true },
    )
  } finally {
    random.mockRestore()
  }
}
