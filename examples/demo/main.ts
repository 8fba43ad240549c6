/*
 * The main job in one command: four processes share a ledger that nothing but the lock protects, one of them is killed in the
 * middle of it, and a table tells what came of it. Exits with 1 if anything was violated.
 */
import { randomUUID } from 'node:crypto'
import process from 'node:process'
import { Holdfast } from 'holdfast'
import { NoServerError } from '../../test/servers/index.js'
import { Crew } from './crew.js'
import type { Finding } from './finding.js'
import { findingsTable } from './findings-table.js'
import { Interruption } from './interruption.js'
import { locksAt } from './locks.js'
import type { Brief } from './message.js'
import { type Options, parseOptions, UsageError, usage } from './options.js'
import { palette } from './palette.js'
import { Scoreboard } from './scoreboard.js'
import { shiftWithLock } from './shift-with-lock.js'
import { comparison, shiftWithoutLock, unguardedFindings } from './shift-without-lock.js'
import { bringStore } from './source.js'

const WORKERS = 4
/** Short, so that a killed holder's lock moves on while one watches. */
const WATCHDOG_MS = 2_000

const interruption = new Interruption()
try {
  process.exitCode = await demo(parseOptions(process.argv.slice(2)))
} catch (error) {
  // Not waited for: a server that is still on its way. It ends with this process.
  if (interruption.exitCode !== undefined) process.exit(interruption.exitCode)
  process.exitCode = complain(error)
}

async function demo(options: Options): Promise<number> {
  if (options.help) {
    console.log(usage)
    return 0
  }
  const source = await interruption.race(bringStore(options.store))
  try {
    console.log(palette.dim(source.told))
    const findings = await work(source.url, options)
    console.log(findingsTable(findings, palette))
    const violated = findings.filter(({ sound }) => sound === false)
    console.log(
      violated.length === 0
        ? 'nothing was violated'
        : `violated: ${violated.map(({ what }) => what).join(', ')}`,
    )
    return violated.length === 0 ? 0 : 1
  } finally {
    await source.stop()
  }
}

async function work(url: string, { withoutLock, workMs }: Options): Promise<Finding[]> {
  const brief: Brief = { url, watchdogMs: WATCHDOG_MS, prefix: `holdfast-demo:${randomUUID()}:` }
  const locks = locksAt(url)
  const holdfast = new Holdfast(locks.place)
  const crew = await Crew.fork(WORKERS, brief, interruption.signal)
  const scoreboard = new Scoreboard(crew, palette)
  try {
    scoreboard.start('without the lock')
    const unguarded = await shiftWithoutLock(crew, withoutLock ? workMs : workMs / 5)
    scoreboard.stop()
    console.log(lossLine(unguarded.lost, unguarded.updates))
    if (withoutLock) return unguardedFindings(unguarded)
    scoreboard.start('with the lock')
    const say = (line: string): void => scoreboard.say(line)
    const guarded = await shiftWithLock({ crew, brief, locks, holdfast, say }, (workMs * 4) / 5)
    scoreboard.stop()
    console.log(lossLine(guarded.lost, guarded.updates))
    return [...guarded.findings, ...comparison(unguarded)]
  } finally {
    scoreboard.stop()
    await crew.dismiss()
    await holdfast.close()
    await locks.close()
  }
}

/** What a shift came to. */
function lossLine(lost: number, updates: number): string {
  const paint = lost > 0 ? palette.red : palette.green
  return `${paint(`  ${lost} of ${updates} updates are lost`)}\n`
}

function complain(error: unknown): number {
  const told = error instanceof NoServerError || error instanceof UsageError
  console.error(told ? error.message : error)
  return error instanceof UsageError ? 64 : 1
}
