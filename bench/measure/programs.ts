import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { fileOf } from '../drivers/build.js'
import type { BlockedAnswer, BlockedOrder, HeldLocks, HeldLocksOrder } from '../drivers/programs.js'
import type { Bench } from './cell.js'
import type { Answer } from './results.js'

const run = promisify(execFile)

const LIMIT_MS = 180_000
/** The default. */
const HELD_WATCHDOG_MS = 30_000
const BLOCKED_WATCHDOG_MS = 1_000

/** Many locks held at once, in a process of its own. */
export async function holdMany(bench: Bench, quick: boolean): Promise<Answer<HeldLocks>> {
  const order: HeldLocksOrder = {
    host: bench.host,
    port: bench.port,
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
      host: bench.host,
      port: bench.port,
      watchdogMs: BLOCKED_WATCHDOG_MS,
      blockMs: 3 * BLOCKED_WATCHDOG_MS,
      watchdogThread,
    }
    answers.push(await answerOf<BlockedAnswer>([fileOf('blocked-main-thread')], order))
  }
  return answers
}

async function answerOf<Value>(args: readonly string[], order: unknown): Promise<Answer<Value>> {
  try {
    const { stdout } = await run(process.execPath, [...args, JSON.stringify(order)], {
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    })
    const answer: Value = JSON.parse(stdout)
    return answer
  } catch (error) {
    return { failed: error instanceof Error ? error.message.slice(0, 1_000) : `${error}` }
  }
}
