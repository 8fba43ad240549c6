import process from 'node:process'
import type { Clock } from './clock.js'
import type { Library } from './library.js'
import type { Order } from './order.js'
import { Task } from './task.js'
import { Work } from './work.js'

/** Enough for connections and scripts; where nothing but the code's own cost is measured, for the optimising compiler too. */
const CYCLES = 300
const UNCONTENDED_CYCLES = 5_000
/** The longest contended warm-up, for each cycle of the uncontended one. */
const CONTENDED_MS_PER_CYCLE = 40
/** So many slices in a row that cost no less than one before: the compiler is quiet. */
const QUIET_SLICES = 4
const CHEAPER = 0.95
const SLICE_MS = 250
const CONTENDED_TASKS = 10

/**
 * Opens connections, loads scripts and has the compiler see the code, on keys that nobody else uses: some hundred uncontended
 * cycles (thousands where only those are measured), and where the scenario is contended a loop of a few waiters of two sessions, which take
 * turns as processes do later, until a section costs no less than before. Programs in Go are compiled, and those on the JVM warm up until their compiler is quiet. Waiters who are still
 * asleep after that (some libraries forget them for half a minute) are left behind: they send nothing.
 */
export async function warmUp(
  library: Library,
  order: Order,
  now: Clock,
  another: () => Library | Promise<Library>,
): Promise<void> {
  const key = `${order.key}:warm-up:${order.firstWaiter}`
  const quiet = new Task(0, 0, undefined, now)
  const contended = order.scenario === 'burst' || order.scenario === 'loop'
  const cycles = order.warmUpCycles ?? (contended ? CYCLES : UNCONTENDED_CYCLES)
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    if (order.scenario === 'nested') await library.nested?.(key, order.depth, quiet.body)
    else await library.section(order.scenario === 'fresh' ? `${key}:${cycle}` : key, quiet.body)
  }
  if (!contended) return
  const loop: Order = {
    ...order,
    key: `${key}:contended`,
    scenario: 'loop',
    sectionMs: 0,
    durationMs: SLICE_MS,
    giveUpMs: SLICE_MS,
  }
  const second = await another()
  const sessions = [library, second].map((each) => new Work(each, loop, now))
  const endAt = now() + cycles * CONTENDED_MS_PER_CYCLE
  let cheapest = Infinity
  for (let quietSlices = 0; quietSlices < QUIET_SLICES && now() < endAt; quietSlices += 1) {
    const tasks = sessions.map(() =>
      Array.from({ length: Math.min(order.waiters, CONTENDED_TASKS) }, () => new Task(0, 0, undefined, now)),
    )
    const before = process.cpuUsage()
    await Promise.all(sessions.map((work, index) => work.run(tasks[index] ?? [], now())))
    const { user, system } = process.cpuUsage(before)
    const cost = (user + system) / tasks.flat().reduce((sum, task) => sum + task.sections, 0)
    if (cost >= cheapest * CHEAPER) continue
    cheapest = cost
    quietSlices = -1
  }
  await second.close()
}
