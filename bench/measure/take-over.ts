import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileOf } from '../drivers/build.js'
import type { System } from '../drivers/place.js'
import type { TakeOverOrder } from '../drivers/programs.js'
import type { Bench } from './cell.js'
import { median } from './percentile.js'
import type { Answer, TakeOver } from './results.js'

/** Beyond any lease here. */
const LIMIT_MS = 30_000
/** Longer than the pauses of a waiter that polls are at first. */
const WAITED_MS = 500

/** How long a lock stays after its holder was killed, while another process waits for it. */
export async function takeOver(
  { place, server }: Bench,
  system: System,
  { times, watchdogMs }: { readonly times: number; readonly watchdogMs: number },
): Promise<Answer<TakeOver>> {
  const took: number[] = []
  await server.clear()
  try {
    for (let time = 0; time < times; time += 1) {
      const order: TakeOverOrder = { ...place, name: `bench:take-over:${randomUUID()}`, watchdogMs }
      took.push(await once(order))
    }
  } catch (error) {
    return { failed: `${system}: ${error instanceof Error ? error.message : error}` }
  }
  return { system, watchdogMs, medianMs: median(took) ?? 0, worstMs: Math.max(...took) }
}

async function once(order: TakeOverOrder): Promise<number> {
  const started: ChildProcess[] = []
  const limit = setTimeout(() => {
    for (const child of started) child.kill('SIGKILL')
  }, LIMIT_MS)
  const start = () => {
    const child = spawn(process.execPath, [fileOf('take-over'), JSON.stringify(order)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    started.push(child)
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const until = async (word: string): Promise<void> => {
      for (;;) {
        const { value, done } = await lines.next()
        if (done === true) throw new Error(`a process ended before it said '${word}'`)
        if (value === word) return
      }
    }
    return { child, until }
  }
  try {
    const holder = start()
    await holder.until('holds')
    const waiter = start()
    await waiter.until('asks')
    await sleep(WAITED_MS)
    const from = performance.now()
    holder.child.kill('SIGKILL')
    await waiter.until('holds')
    return performance.now() - from
  } finally {
    clearTimeout(limit)
    for (const child of started) child.kill('SIGKILL')
  }
}
