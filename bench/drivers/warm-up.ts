import type { Clock } from './clock.js'
import type { Library } from './library.js'
import type { Order } from './order.js'
import { Task } from './task.js'
import { Work } from './work.js'

/** Enough for connections and scripts; where nothing but the code's own cost is measured, for the optimising compiler too. */
const CYCLES = 300
const UNCONTENDED_CYCLES = 5_000
const CONTENDED_MS = 250
const CONTENDED_TASKS = 10

/**
 * Opens connections, loads scripts and has the compiler see the code, on keys that nobody else uses: some hundred uncontended
 * cycles (thousands where only those are measured), and where the scenario is contended a short loop of a few waiters. Waiters who are still asleep after that (some
 * libraries forget them for half a minute) are left behind: they send nothing.
 */
export async function warmUp(library: Library, order: Order, now: Clock): Promise<void> {
  const key = `${order.key}:warm-up:${order.firstWaiter}`
  const quiet = new Task(0, 0, undefined, now)
  const contended = order.scenario === 'burst' || order.scenario === 'loop'
  const cycles = order.warmUpCycles ?? (contended ? CYCLES : UNCONTENDED_CYCLES)
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    if (order.scenario === 'nested') await library.nested?.(key, order.depth, quiet.body)
    else await library.section(key, quiet.body)
  }
  if (!contended) return
  const tasks = Array.from(
    { length: Math.min(order.waiters, CONTENDED_TASKS) },
    () => new Task(0, 0, undefined, now),
  )
  const loop: Order = {
    ...order,
    key: `${key}:contended`,
    scenario: 'loop',
    sectionMs: 0,
    durationMs: CONTENDED_MS,
    giveUpMs: CONTENDED_MS,
  }
  await new Work(library, loop, now).run(tasks, now())
}
