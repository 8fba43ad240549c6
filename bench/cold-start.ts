/**
 * What a serverless function's cold start pays for a lock: `npm run build && npx tsx bench/cold-start.ts`. Fresh processes; medians of CPU
 * time, since that is what a function has little of and what a busy machine leaves as it is. The network comes on top: one round trip
 * for each half of a section, and those of the connections that Holdfast makes.
 */
import { execFile } from 'node:child_process'
import os from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bringServer } from '../test/servers/index.js'

const ROUNDS = 11

/** The steps of a function that locks. */
const steps = [
  'ioredis: import',
  'ioredis: connect, PING',
  'holdfast: import',
  'first section',
  'next section',
]

function programFor(entry: string, client: string, url: string): string {
  return `
const times = []
let last = process.cpuUsage()
const lap = () => {
  const { user, system } = process.cpuUsage(last)
  times.push((user + system) / 1_000)
  last = process.cpuUsage()
}
const { Redis } = await import('ioredis')
lap()
const redis = new Redis(${JSON.stringify(url)})
await redis.ping()
lap()
const { ${client} } = await import('${entry}')
lap()
const holdfast = new ${client}(redis)
const section = () => holdfast.lock('cold-start:' + process.pid).withLock(() => undefined)
await section()
lap()
await section()
lap()
console.log(JSON.stringify(times))
process.exit()`
}

async function timesOf(program: string): Promise<number[]> {
  const args = ['--input-type=module', '-e', program]
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd })
  return JSON.parse(stdout)
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

const server = await bringServer({ flavour: 'redis-7.0' })
try {
  console.log(
    `${os.cpus()[0]?.model}, ${os.cpus().length} cores, Node ${process.version}, ${ROUNDS} processes each`,
  )
  for (const [entry, client] of [
    ['holdfast', 'Holdfast'],
    ['holdfast/lock', 'LockClient'],
  ] as const) {
    const rounds: number[][] = []
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push(await timesOf(programFor(entry, client, server.url)))
    const medians = steps.map((_, step) => median(rounds.map((times) => times[step] ?? Number.NaN)))
    console.log(
      `${entry}: ${steps.map((step, index) => `${step} ${medians[index]?.toFixed(1)} ms`).join('; ')}`,
    )
    const [of = 0, connect = 0, own = 0, first = 0] = medians
    console.log(
      `${entry}: over the client library alone ${((of + connect + own + first) / (of + connect)).toFixed(2)}`,
    )
  }
} finally {
  await server.stop()
}
