import type { Scenario } from '../scenario.js'

/** Short, to see that everything works; its figures mean nothing. */
export function quickenedStores(scenarios: readonly Scenario[]): Scenario[] {
  return scenarios
    .filter(({ name, waiters }) => !name.includes('-growth-') || waiters === 10)
    .map((given) => ({
      ...given,
      durationMs: Math.min(given.durationMs, 300),
      giveUpMs: Math.min(given.giveUpMs, 3_000),
      slowGiveUpMs: Math.min(given.slowGiveUpMs, 1_000),
      processes: Math.min(given.processes, 2),
      waiters: Math.min(given.waiters, 10),
      warmUpCycles: 10,
    }))
}
