import process from 'node:process'
import fc from 'fast-check'
import { vi } from 'vitest'
import { plans, type Scope } from './program.js'
import { fates } from './slow-port.js'
import { type Laws, World } from './world.js'

/** `HOLDFAST_MODEL_RUNS` asks for more runs, `HOLDFAST_MODEL_SEED` for others. */
export function runsOr(usual: number): { numRuns: number; seed: number } {
  const { HOLDFAST_MODEL_RUNS: runs = usual, HOLDFAST_MODEL_SEED: seed = 42 } = process.env
  return { numRuns: Number(runs), seed: Number(seed) }
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

/** What may occur in a world, by which laws, and whether its store fails. */
interface Setting {
  readonly scope: Scope
  readonly laws: Laws
  readonly fails?: boolean
}

/** The store answers before any time passes; nothing is ever lost. */
export const calm: Setting = {
  scope: { leases: [undefined], idleMs: 40, timeSteps: [1, 5, 20] },
  laws: { options: { watchdogMs: 30_000, commandTimeoutMs: 3_000 }, calm: true, lossMayHappen: 'never' },
}

/** The same with a watchdog that has to renew many times: no hold is lost for want of it. */
export const renewals: Setting = {
  scope: { ...calm.scope, idleMs: 150 },
  laws: { ...calm.laws, options: { watchdogMs: 60, commandTimeoutMs: 3_000 } },
}

/** Time goes on in small steps while answers are under way; leases end, locks are forced open, clients are closed. */
export const latency: Setting = {
  scope: {
    leases: [undefined, undefined, undefined, 20, 60],
    idleMs: 40,
    timeSteps: [1, 2, 5, 20],
    force: true,
    close: true,
    rates: [1, 1.004, 0.996],
  },
  laws: { options: calm.laws.options, lossMayHappen: 'anyhow' },
}

/** Commands fail in every way, on their way and back; leases outlive it all, so that whatever is left behind is seen. */
export const faults: Setting = {
  scope: {
    leases: [undefined, undefined, undefined, 20_000],
    idleMs: 40,
    timeSteps: [1, 5, 20, 60],
    close: true,
  },
  laws: {
    options: { watchdogMs: 30_000, commandTimeoutMs: 100, storeTimeoutMs: 2_000 },
    lossMayHappen: 'lease-expired',
  },
  fails: true,
}

/** Leases so short that renewals matter. */
export const shortLeases: Setting = {
  scope: faults.scope,
  laws: {
    options: { watchdogMs: 60, commandTimeoutMs: 30, storeTimeoutMs: 200 },
    lossMayHappen: 'anyhow',
  },
  fails: true,
}

export const standstills: Setting = {
  scope: {
    ...latency.scope,
    leases: [undefined, undefined, 20, 60],
    idleMs: 60,
    pauses: [10, 50, 100, 300],
  },
  laws: shortLeases.laws,
  fails: true,
}
