/**
 * One process with many clients of one lock, each with its own connections and one caller in a loop, as if it were a process:
 * `node many-clients.mjs <order as JSON>`. Its input says what comes next, a word a line; it answers when that is done.
 */
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster, Redis } from 'ioredis'
import { Holdfast } from '../dist/index.js'
import type { ManyClientsAnswer, ManyClientsOrder } from './drivers/programs.js'
import { SentCommands } from './drivers/sent-commands.js'

/** Connecting all at once would overflow the server's backlog. */
const AT_ONCE = 20
/** All share the cores with the servers: what takes long is no failure. */
const PATIENCE = { commandTimeoutMs: 60_000, storeTimeoutMs: 120_000 }
const LOOKS_EVERY_MS = 100

const order: ManyClientsOrder = JSON.parse(process.argv[2] ?? '{}')
const { nodes, cluster, name, clients, allClients, lingerMs } = order
const [first = { host: '', port: 0 }] = nodes
const open = (): Redis | Cluster =>
  cluster
    ? new Cluster([...nodes], { lazyConnect: true, slotsRefreshTimeout: PATIENCE.commandTimeoutMs })
    : new Redis({ ...first, lazyConnect: true })
const sent = new SentCommands()
const fleet = Array.from({ length: clients }, () => new Holdfast(open(), { lingerMs, ...PATIENCE }))
const sections = new Array<number>(clients).fill(0)
const askedAt = new Array<number>(clients).fill(0)
let sentBefore = 0
let worstWaitMs = 0
let going = true

async function connect(): Promise<void> {
  for (let from = 0; from < clients; from += AT_ONCE)
    await Promise.all(
      fleet.slice(from, from + AT_ONCE).map(async (holdfast, index) => {
        // In the slot of the lock, so that in a cluster no more connections come later.
        await (await holdfast.lock(`{${name}}:${process.pid}:${from + index}`).acquire()).release()
      }),
    )
}

async function loop(holdfast: Holdfast, client: number): Promise<void> {
  const lock = holdfast.lock(name)
  while (going) {
    askedAt[client] = performance.now()
    const hold = await lock.acquire()
    noteWait(client)
    sections[client] = (sections[client] ?? 0) + 1
    await hold.release()
  }
}

function noteWait(client: number): void {
  worstWaitMs = Math.max(worstWaitMs, performance.now() - (askedAt[client] ?? 0))
}

let release = async (): Promise<void> => {}

async function hold(): Promise<void> {
  const held = await new Holdfast(open()).lock(name).acquire()
  release = () => held.release()
}

async function untilAllWait(): Promise<void> {
  const [some] = fleet
  while ((await some?.lock(name).countWaitingClients()) !== allClients) await sleep(LOOKS_EVERY_MS)
}

const steps: Readonly<Record<string, () => Promise<unknown>>> = {
  connect,
  hold,
  ask: async () => {
    fleet.forEach((holdfast, client) => void loop(holdfast, client))
  },
  'all-wait': untilAllWait,
  begin: async () => {
    sentBefore = sent.count
    sections.fill(0)
    askedAt.fill(performance.now())
    worstWaitMs = 0
  },
  release: () => release(),
  stop: async () => {
    going = false
    for (let client = 0; client < clients; client += 1) noteWait(client)
    const answer: ManyClientsAnswer = {
      sections: [...sections],
      worstWaitMs,
      commands: sent.count - sentBefore,
    }
    console.log(JSON.stringify(answer))
  },
}
for await (const word of createInterface({ input: process.stdin })) {
  await steps[word]?.()
  console.log(word)
}
process.exit(0)
