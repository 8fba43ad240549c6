import { type ChildProcess, spawn } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { bringCluster, bringServer } from '../../test/servers/index.js'
import { fileOf } from '../drivers/build.js'
import type { ManyClientsAnswer, ManyClientsOrder } from '../drivers/programs.js'
import { jainsIndex } from './fairness.js'
import { parseCalls, parseCpuMs } from './redis-side.js'
import type { Answer, ManyClients } from './results.js'

const NAME = 'bench:many-clients'
const CLIENTS = 2_000
const QUICK_CLIENTS = 40
/** That share the clients. */
const PROCESSES = 4
const DURATION_MS = 20_000
const QUICK_DURATION_MS = 2_000
const RESTING_LOOKS = 10
const RESTING_PAUSE_MS = 500
const LIMIT_MS = 300_000
const ARGUMENTS = ['--save', '', '--appendonly', 'no']

type Terms = Pick<ManyClients, 'clients' | 'cluster' | 'lingerMs'>

/** Thousands of clients of one lock, each with one caller in a loop, on a server and on a Cluster of three: what these have to carry. */
export async function manyClients(quick: boolean): Promise<Answer<ManyClients>[]> {
  const answers: Answer<ManyClients>[] = []
  for (const cluster of [false, true])
    for (const lingerMs of [0, 'auto'] as const) {
      const clients = quick ? QUICK_CLIENTS : CLIENTS
      const durationMs = quick ? QUICK_DURATION_MS : DURATION_MS
      console.log(`many clients: ${clients}${cluster ? ' in a Cluster' : ''}, lingerMs: ${lingerMs}`)
      answers.push(await carried({ clients, cluster, lingerMs }, durationMs))
    }
  return answers
}

async function carried(terms: Terms, durationMs: number): Promise<Answer<ManyClients>> {
  const brought = terms.cluster
    ? await bringCluster({ prefer: 'binary', args: ARGUMENTS })
    : await bringServer({ prefer: 'binary', args: ARGUMENTS })
  const nodes = ('nodes' in brought ? brought.nodes : [brought]).map(({ host, port }) => ({ host, port }))
  const servers = new Servers(nodes)
  const order: ManyClientsOrder = {
    nodes,
    cluster: terms.cluster,
    name: NAME,
    clients: terms.clients / PROCESSES,
    allClients: terms.clients,
    lingerMs: terms.lingerMs,
  }
  const crew = Array.from({ length: PROCESSES }, () => new Host(order))
  const limit = setTimeout(() => {
    for (const host of crew) host.kill()
  }, LIMIT_MS)
  try {
    return { ...terms, ...(await measured(terms.clients, durationMs, servers, crew)) }
  } catch (error) {
    return { failed: `${error instanceof Error ? error.message : error}` }
  } finally {
    clearTimeout(limit)
    for (const host of crew) host.kill()
    servers.close()
    await brought.stop()
  }
}

async function measured(
  clients: number,
  durationMs: number,
  servers: Servers,
  crew: readonly Host[],
): Promise<Omit<ManyClients, keyof Terms>> {
  const [first] = crew
  const all = (word: string): Promise<unknown> => Promise.all(crew.map((host) => host.does(word)))
  const emptyBytes = await servers.usedBytes()
  await all('connect')
  const idleBytes = await servers.restedBytes()
  await first?.does('hold')
  await all('ask')
  await first?.does('all-wait')
  const waitingBytes = await servers.restedBytes()
  const connections = await servers.connections()
  await all('begin')
  await servers.reset()
  const cpuBefore = await servers.cpuMs()
  const from = performance.now()
  await first?.does('release')
  await sleep(durationMs)
  const answers = await Promise.all(crew.map((host) => host.answer()))
  const elapsedMs = performance.now() - from
  const serverMs = (await servers.cpuMs()) - cpuBefore
  const published = await servers.published()
  const shares = answers.flatMap(({ sections }) => [...sections])
  const sections = shares.reduce((sum, each) => sum + each, 0)
  return {
    connectionsEach: connections / clients,
    idleBytesEach: (idleBytes - emptyBytes) / clients,
    waitingBytesEach: (waitingBytes - idleBytes) / clients,
    sectionsPerSecond: (sections * 1_000) / elapsedMs,
    commandsPerSection: answers.reduce((sum, { commands }) => sum + commands, 0) / sections,
    messagesPerSection: published / sections,
    serverUsPerSection: (serverMs * 1_000) / sections,
    jain: jainsIndex(shares) ?? 0,
    starved: shares.filter((each) => each === 0).length,
    worstWaitMs: Math.max(...answers.map((answer) => answer.worstWaitMs)),
  }
}

/** The harness's own connections to all nodes. */
class Servers {
  readonly #nodes: readonly Redis[]

  constructor(nodes: ManyClientsOrder['nodes']) {
    this.#nodes = nodes.map((node) => new Redis(node))
  }

  usedBytes(): Promise<number> {
    return this.#sum('memory', (info) => numberIn(info, 'used_memory'))
  }

  /** When buffers that were needed to connect have been given back: the least in a while. */
  async restedBytes(): Promise<number> {
    let least = await this.usedBytes()
    for (let look = 0; look < RESTING_LOOKS; look += 1) {
      await sleep(RESTING_PAUSE_MS)
      least = Math.min(least, await this.usedBytes())
    }
    return least
  }

  connections(): Promise<number> {
    return this.#sum('clients', (info) => numberIn(info, 'connected_clients') - 1)
  }

  cpuMs(): Promise<number> {
    return this.#sum('cpu', parseCpuMs)
  }

  published(): Promise<number> {
    return this.#sum('commandstats', (info) => {
      const { publish = 0, spublish = 0 } = parseCalls(info)
      return publish + spublish
    })
  }

  async reset(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.config('RESETSTAT')))
  }

  close(): void {
    for (const node of this.#nodes) node.disconnect()
  }

  async #sum(section: string, read: (info: string) => number): Promise<number> {
    const found = await Promise.all(this.#nodes.map(async (node) => read(await node.info(section))))
    return found.reduce((sum, each) => sum + each, 0)
  }
}

function numberIn(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0)
}

/** A process with many of the clients. */
class Host {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor(order: ManyClientsOrder) {
    const child = spawn(process.execPath, [fileOf('many-clients'), JSON.stringify(order)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#child = child
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  }

  async does(word: string): Promise<void> {
    this.#child.stdin?.write(`${word}\n`)
    if ((await this.#line()) !== word) throw new Error(`a process did something else than '${word}'`)
  }

  async answer(): Promise<ManyClientsAnswer> {
    this.#child.stdin?.write('stop\n')
    return JSON.parse(await this.#line())
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async #line(): Promise<string> {
    const { value, done } = await this.#lines.next()
    if (done === true) throw new Error('a process with clients ended early')
    return value
  }
}
