/** Holds many locks at once and tells what they cost: `node --expose-gc held-locks.mjs <order as JSON>`. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Hold } from '../dist/index.js'
import type { HeldLocks, HeldLocksOrder } from './drivers/programs.js'
import { StandingTimers } from './drivers/standing-timers.js'

const IN_FLIGHT = 500

function usedBytes(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function isHeld(hold: Hold): boolean {
  try {
    hold.assertHeld()
    return true
  } catch {
    return false
  }
}

async function holdMany({ host, port, locks, watchdogMs }: HeldLocksOrder): Promise<HeldLocks> {
  const standing = new StandingTimers()
  const { Holdfast } = await import('../dist/index.js')
  const holdfast = new Holdfast(new Redis({ host, port, lazyConnect: true }), { watchdogMs })
  for (let cycle = 0; cycle < 1_000; cycle += 1)
    await (await holdfast.lock('bench:warm-up').acquire()).release()

  const holds = new Array<Hold | undefined>(locks)
  const before = usedBytes()
  const startedAt = performance.now()
  let next = 0
  const take = async (): Promise<void> => {
    while (next < locks) {
      const index = next
      next += 1
      holds[index] = await holdfast.lock(`bench:held:${index}`).acquire()
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, take))
  const acquiredPerSecond = (locks * 1_000) / (performance.now() - startedAt)
  const bytesPerLock = (usedBytes() - before) / locks

  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const cpu = process.cpuUsage()
  const keptFrom = performance.now()
  // Longer than a lease, so that locks which are not renewed are lost by the end.
  await sleep(watchdogMs * 1.1)
  const { user, system } = process.cpuUsage(cpu)
  const shareOfCore = (user + system) / 1_000 / (performance.now() - keptFrom)
  delay.disable()
  const timers = standing.count
  const lost = holds.filter((hold) => hold === undefined || !isHeld(hold)).length
  await holdfast.close()
  return {
    locks,
    watchdogMs,
    acquiredPerSecond,
    bytesPerLock,
    shareOfCore,
    lost,
    worstDelayMs: delay.max / 1e6,
    timers,
  }
}

console.log(JSON.stringify(await holdMany(JSON.parse(process.argv[2] ?? '{}'))))
process.exit(0)
