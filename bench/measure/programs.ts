import { execFile } from 'node:child_process'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { fileOf } from '../drivers/build.js'
import type { System } from '../drivers/place.js'
import type {
  BlockedAnswer,
  BlockedOrder,
  HeldLocks,
  HeldLocksOrder,
  TableGrowthAnswer,
  TableGrowthOrder,
} from '../drivers/programs.js'
import { simulatedFleets, smallFleet } from '../simulated/fleets.js'
import type { FleetFigures } from '../simulated/order.js'
import type { Bench } from './cell.js'
import type { Answer, TableGrowth } from './results.js'

const run = promisify(execFile)

const LIMIT_MS = 180_000
/** The default. */
const HELD_WATCHDOG_MS = 30_000
const BLOCKED_WATCHDOG_MS = 1_000
const GROWTH_NAMES = 100
const GROWTH_MS_EACH = 5
const LOOK_EVERY_MS = 500
const SIMULATION_LIMIT_MS = 3_600_000

/** Many locks held at once, in a process of its own. */
export async function holdMany(bench: Bench, quick: boolean): Promise<Answer<HeldLocks>> {
  const order: HeldLocksOrder = {
    host: bench.place.host,
    port: bench.place.port,
    locks: quick ? 5_000 : 100_000,
    watchdogMs: quick ? 1_000 : HELD_WATCHDOG_MS,
  }
  await bench.server.clear()
  return await answerOf<HeldLocks>(['--expose-gc', fileOf('held-locks')], order)
}

/** A main thread that is blocked for three leases, with and without the watchdog's thread. */
export async function blockMainThread(bench: Bench): Promise<Answer<BlockedAnswer>[]> {
  const answers: Answer<BlockedAnswer>[] = []
  for (const watchdogThread of [false, true]) {
    await bench.server.clear()
    const order: BlockedOrder = {
      host: bench.place.host,
      port: bench.place.port,
      watchdogMs: BLOCKED_WATCHDOG_MS,
      blockMs: 3 * BLOCKED_WATCHDOG_MS,
      watchdogThread,
    }
    answers.push(await answerOf<BlockedAnswer>([fileOf('blocked-main-thread')], order))
  }
  return answers
}

/** Fleets in virtual time, each in a process of its own. */
export async function simulate(quick: boolean): Promise<Answer<FleetFigures>[]> {
  const answers: Answer<FleetFigures>[] = []
  for (const order of quick ? [smallFleet] : simulatedFleets) {
    const { processes, callers, lingerMs } = order
    console.log(`simulated: ${processes} x ${callers}, lingerMs: ${lingerMs}`)
    answers.push(await answerOf<FleetFigures>([fileOf('simulated')], order, SIMULATION_LIMIT_MS))
  }
  return answers
}

/** How a table of locks grows under many sections on few names. */
export async function growTable(
  { place, server }: Bench,
  system: System,
  sections: number,
): Promise<Answer<TableGrowth>> {
  await server.clear()
  let mostBytes = 0
  let bytes = 0
  const look = async (): Promise<void> => {
    bytes = (await server.tableBytes?.()) ?? 0
    mostBytes = Math.max(mostBytes, bytes)
  }
  const order: TableGrowthOrder = { ...place, sections, names: GROWTH_NAMES }
  let going = true
  const looking = (async () => {
    for (; going; await sleep(LOOK_EVERY_MS)) await look()
  })()
  const limitMs = LIMIT_MS + sections * GROWTH_MS_EACH
  const answer = await answerOf<TableGrowthAnswer>([fileOf('table-growth')], order, limitMs)
  going = false
  await looking
  await look()
  return 'failed' in answer ? answer : { system, names: GROWTH_NAMES, sections, ...answer, mostBytes, bytes }
}

async function answerOf<Value>(
  args: readonly string[],
  order: unknown,
  timeout = LIMIT_MS,
): Promise<Answer<Value>> {
  try {
    const { stdout } = await run(process.execPath, [...args, JSON.stringify(order)], {
      timeout,
      killSignal: 'SIGKILL',
    })
    const answer: Value = JSON.parse(stdout)
    return answer
  } catch (error) {
    return { failed: error instanceof Error ? error.message.slice(0, 1_000) : `${error}` }
  }
}
