import { entryOf } from '../catalog.js'
import type { Scenario } from '../scenario.js'

/** What differs from another that is run by a number alone. */
const LIKE_OTHERS = { scenarios: /-(loop-.*|turns-8x1|growth-(?!2x10$).*)$/, libraries: ['poll-100'] }

/** Short, to see that everything works; its figures mean nothing. */
export function quickenedStores(scenarios: readonly Scenario[]): Scenario[] {
  return scenarios
    .filter(({ name }) => !LIKE_OTHERS.scenarios.test(name))
    .map((given) => ({
      ...given,
      durationMs: Math.min(given.durationMs, 300),
      giveUpMs: Math.min(given.giveUpMs, 3_000),
      slowGiveUpMs: Math.min(given.slowGiveUpMs, 1_000),
      processes: Math.min(given.processes, 2),
      waiters: Math.min(given.waiters, 10),
      warmUpCycles: 10,
      libraries: given.libraries.filter(
        (name) =>
          !LIKE_OTHERS.libraries.includes(name) &&
          // A JVM takes half a minute to warm up.
          (entryOf(name).runtime !== 'jvm' || given.name === 'zookeeper-sequential'),
      ),
    }))
}
