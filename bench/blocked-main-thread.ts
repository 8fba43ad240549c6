/** Blocks the main thread for longer than the lease and tells what became of the lock: `node blocked-main-thread.mjs <order as JSON>`. */
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { Redis } from 'ioredis'
import { type Hold, Holdfast, type HoldfastOptions } from '../dist/index.js'
import type { BlockedAnswer, BlockedOrder } from './drivers/programs.js'

function isHeld(hold: Hold): boolean {
  try {
    hold.assertHeld()
    return true
  } catch {
    return false
  }
}

async function block({
  host,
  port,
  watchdogMs,
  blockMs,
  watchdogThread,
}: BlockedOrder): Promise<BlockedAnswer> {
  const redis = new Redis({ host, port })
  const options: HoldfastOptions & { watchdogThread?: boolean } = watchdogThread
    ? { watchdogMs, watchdogThread }
    : { watchdogMs }
  let holdfast: Holdfast
  try {
    holdfast = new Holdfast(redis, options)
  } catch (error) {
    return {
      unsupported: `this Holdfast has no such option: ${error instanceof Error ? error.message : error}`,
    }
  }
  const name = 'bench:blocked-main-thread'
  const hold = await holdfast.lock(name).acquire()
  const told = async (): Promise<unknown> =>
    hold.signal.aborted ||
    Promise.race([new Promise((resolve) => holdfast.once('renewed', resolve)), once(hold.signal, 'abort')])
  // The watchdog is at work, in whichever thread.
  await told()

  const until = performance.now() + blockMs
  while (performance.now() < until);
  const heldAtFirstCheck = isHeld(hold)
  const abortedAtFirstCheck = hold.signal.aborted

  await told()
  const abortedSoonAfter = hold.signal.aborted
  const keyThere = (await redis.exists(name)) === 1
  await hold.release().catch(() => {})
  await holdfast.close()
  return { watchdogThread, heldAtFirstCheck, abortedAtFirstCheck, abortedSoonAfter, keyThere }
}

console.log(JSON.stringify(await block(JSON.parse(process.argv[2] ?? '{}'))))
process.exit(0)
