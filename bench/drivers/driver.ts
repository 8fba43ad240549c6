/** One process of one cell of the benchmark, for the libraries in Node: `node driver.js <order as JSON>`. */
import { once } from 'node:events'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { libraries } from '../libraries/index.js'
import { type Clock, clockWith } from './clock.js'
import type { Library } from './library.js'
import type { Done, Line, Order } from './order.js'
import { Recorder } from './recorder.js'
import { Task } from './task.js'
import { type Counts, counterFor, since } from './traffic.js'
import { warmUp } from './warm-up.js'
import { Work } from './work.js'

/** How long a library may take to close; the process ends anyway. */
const CLOSING_MS = 500

function say(line: Line): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${JSON.stringify(line)}\n`, () => resolve()))
}

/** Waits for `go <epochMs>` on standard input. */
async function go(): Promise<number> {
  const lines = createInterface({ input: process.stdin })
  for await (const line of lines) {
    const startAt = Number(/^go (\d+(?:\.\d+)?)$/.exec(line)?.[1])
    if (Number.isFinite(startAt)) return startAt
  }
  throw new Error('standard input ended before "go <epochMs>" came')
}

async function until(startAt: number, now: Clock): Promise<void> {
  // Timers are late by up to some milliseconds, so the last stretch is spent looking at the clock.
  await new Promise((resolve) => setTimeout(resolve, startAt - now() - 2))
  while (now() < startAt);
}

async function measure(
  library: Library,
  order: Order,
  counts: () => Counts,
  now: Clock,
): Promise<{ readonly done: Done; readonly through: boolean }> {
  const recorder = new Recorder(order.recordAtMost, order.recordFile)
  const count = ['sequential', 'fresh', 'nested'].includes(order.scenario) ? 1 : order.waiters
  const tasks = Array.from(
    { length: count },
    (_, index) => new Task(order.firstWaiter + index, order.sectionMs, recorder, now),
  )
  const work = new Work(library, order, now)
  const startAt = await go()
  await until(startAt, now)
  const before = counts()
  const cpuBefore = process.cpuUsage()
  const through = await work.run(tasks, startAt)
  const elapsedMs = now() - startAt
  const { user, system } = process.cpuUsage(cpuBefore)
  const after = counts()
  await recorder.write()
  const perWaiter = tasks.map(({ sections }) => sections)
  const done: Done = {
    done: true,
    sections: perWaiter.reduce((sum, sections) => sum + sections, 0),
    elapsedMs,
    cpuMs: (user + system) / 1_000,
    perWaiter,
    gaveUp: order.scenario === 'burst' ? perWaiter.filter((sections) => sections === 0).length : 0,
    errors: work.errors,
    maxRssMb: process.resourceUsage().maxRSS / 1_024,
    ...since(before, after),
  }
  return { done, through }
}

async function main(order: Order): Promise<void> {
  const load = libraries[order.library]
  if (load === undefined)
    throw new Error(
      `no library is called '${order.library}'; there are: ${Object.keys(libraries).join(', ')}`,
    )
  const counts = await counterFor(order)
  const now = clockWith(order.clockOffsetMs)
  const { open } = await load()
  const library = await open(order)
  if (order.scenario === 'nested' && library.nested === undefined) {
    return await say({ unsupported: 'no reentry: a nested hold of the same lock would wait for itself' })
  }
  await warmUp(library, order, now, () => open(order))
  await say({ ready: true, version: library.version })
  const { done, through } = await measure(library, order, counts, now)
  await say(done)
  if (!through) return
  // Not before the harness has read the server's counters: some count a goodbye too.
  await once(process.stdin.resume(), 'end')
  await Promise.race([library.close(), new Promise((resolve) => setTimeout(resolve, CLOSING_MS))])
}

await main(JSON.parse(process.argv[2] ?? '{}'))
// Waiters that were given up are still there.
process.exit(0)
