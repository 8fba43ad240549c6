import { entryOf } from './catalog.js'
import type { Scenario } from './scenario.js'

/** Short, to see that everything works; its figures mean nothing. */
export function quickened(scenarios: readonly Scenario[]): Scenario[] {
  return scenarios.map((given) => ({
    ...given,
    durationMs: Math.min(given.durationMs, 400),
    giveUpMs: Math.min(given.giveUpMs, 3_000),
    slowGiveUpMs: Math.min(given.slowGiveUpMs, 1_000),
    processes: Math.min(given.processes, 8),
    waiters: Math.min(given.waiters, 1_000),
    warmUpCycles: 30,
    // A JVM takes half a minute to warm up.
    libraries: given.libraries.filter(
      (name) => entryOf(name).runtime !== 'jvm' || given.name === 'sequential',
    ),
  }))
}
