/*
 * The main job in one command: four processes share a ledger that nothing but the lock protects, one of them is killed in the
 * middle of it, and a table tells what came of it. Exits with 1 if anything was violated.
 */
import { randomUUID } from 'node:crypto'
import process from 'node:process'
import { Holdfast } from 'holdfast'
import { Redis } from 'ioredis'
import { bringServer, NoServerError, type Server } from '../../test/servers/index.js'
import { Crew } from './crew.js'
import type { Finding } from './finding.js'
import { findingsTable } from './findings-table.js'
import { Interruption } from './interruption.js'
import type { Brief } from './message.js'
import { type Options, parseOptions, UsageError, usage } from './options.js'
import { palette } from './palette.js'
import { Scoreboard } from './scoreboard.js'
import { shiftWithLock } from './shift-with-lock.js'
import { comparison, shiftWithoutLock, unguardedFindings } from './shift-without-lock.js'

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
  const server = await interruption.race(bringServer({ prefer: 'binary' }))
  try {
    console.log(`server: ${server.version} on ${server.host}:${server.port} (${source(server)})`)
    const findings = await work(server.url, options)
    console.log(findingsTable(findings, palette))
    const violated = findings.filter(({ sound }) => sound === false)
    console.log(
      violated.length === 0
        ? 'nothing was violated'
        : `violated: ${violated.map(({ what }) => what).join(', ')}`,
    )
    return violated.length === 0 ? 0 : 1
  } finally {
    await server.stop()
  }
}

async function work(url: string, { withoutLock, workMs }: Options): Promise<Finding[]> {
  const brief: Brief = { url, watchdogMs: WATCHDOG_MS, prefix: `holdfast-demo:${randomUUID()}:` }
  const redis = new Redis(url, { lazyConnect: true })
  const holdfast = new Holdfast(redis)
  const crew = await Crew.fork(WORKERS, brief, interruption.signal)
  const scoreboard = new Scoreboard(crew, palette)
  try {
    scoreboard.start('without the lock')
    const unguarded = await shiftWithoutLock(crew, withoutLock ? workMs : workMs / 5)
    scoreboard.stop()
    if (withoutLock) return unguardedFindings(unguarded)
    scoreboard.start('with the lock')
    const say = (line: string): void => scoreboard.say(line)
    const guarded = await shiftWithLock({ crew, brief, redis, holdfast, say }, (workMs * 4) / 5)
    return [...guarded, ...comparison(unguarded)]
  } finally {
    scoreboard.stop()
    await crew.dismiss()
    await holdfast.close()
    redis.disconnect()
  }
}

function source({ how }: Server): string {
  return how === 'url' ? 'named by HOLDFAST_REDIS_URL' : `started for this run, by ${how}`
}

function complain(error: unknown): number {
  const told = error instanceof NoServerError || error instanceof UsageError
  console.error(told ? error.message : error)
  return error instanceof UsageError ? 64 : 1
}
