/**
 * How a quorum's lock is shared among clients that want it again and again: `npm run build && npx tsx bench/quorum.ts`. Each client has
 * connections of its own; all live in this process, so that one clock tells how long each waited. Arguments choose: `--servers 3,5
 * --clients 4,8,16 --sections 1,20,100 --seconds 15`.
 */
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { Holdfast, quorum } from '../dist/index.js'
import { bringServer } from '../test/servers/index.js'
import { jainsIndex } from './measure/fairness.js'
import { parseCalls, sentCommands } from './measure/redis-side.js'

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '3,5' },
    clients: { type: 'string', default: '4,8,16' },
    sections: { type: 'string', default: '1,20,100' },
    seconds: { type: 'string', default: '15' },
  },
})
const numbers = (list: string): number[] => list.split(',').map(Number)
const forMs = Number(values.seconds) * 1_000

async function measure(urls: readonly string[], clients: number, sectionMs: number): Promise<void> {
  const sides = urls.map((url) => new Redis(url))
  const made = Array.from({ length: clients }, () => {
    const members = urls.map((url) => new Redis(url))
    return { members, holdfast: new Holdfast(quorum(members)) }
  })
  for (const { holdfast } of made) await holdfast.lock('bench:warm-up').withLock(() => undefined)
  await Promise.all(sides.map((side) => side.config('RESETSTAT')))
  const until = performance.now() + forMs
  const waits: number[] = []
  const shares = await Promise.all(
    made.map(async ({ holdfast }) => {
      const lock = holdfast.lock('bench:quorum')
      let sections = 0
      while (performance.now() < until) {
        const askedAt = performance.now()
        await lock.withLock(async () => {
          waits.push(performance.now() - askedAt)
          await sleep(sectionMs)
        })
        sections += 1
      }
      return sections
    }),
  )
  const total = shares.reduce((sum, share) => sum + share, 0)
  const infos = await Promise.all(sides.map((side) => side.info('commandstats')))
  const commands = infos.reduce((sum, info) => sum + sentCommands('holdfast', parseCalls(info)), 0)
  const figures = [
    `${urls.length} servers`,
    `${clients} clients`,
    `${sectionMs} ms`,
    `Jain ${jainsIndex(shares)?.toFixed(3)}`,
    `longest wait ${Math.max(...waits).toFixed(0)} ms`,
    `${(total / (forMs / 1_000)).toFixed(1)} sections/s`,
    `${(commands / total / urls.length).toFixed(1)} commands per section and server`,
  ]
  console.log(figures.join(', '))
  await Promise.all(made.map(({ holdfast }) => holdfast.close()))
  for (const client of [...sides, ...made.flatMap(({ members }) => members)]) client.disconnect()
}

for (const count of numbers(values.servers)) {
  const servers = await Promise.all(
    Array.from({ length: count }, () => bringServer({ flavour: 'redis-7.0' })),
  )
  const urls = servers.map(({ host, port }) => `redis://${host}:${port}`)
  for (const clients of numbers(values.clients))
    for (const sectionMs of numbers(values.sections)) await measure(urls, clients, sectionMs)
  await Promise.all(servers.map((server) => server.stop()))
}
process.exit(0)
