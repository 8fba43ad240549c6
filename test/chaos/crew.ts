import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Wire } from '../wire/wire.js'
import type { Bundle } from './bundle.js'
import { now } from './history/event.js'
import { readHistory, type WorkerHistory } from './history/history.js'
import type { Victim } from './nemeses/nemesis.js'
import type { Command, Word, WorkerOrder } from './order.js'
import type { Topology } from './topologies/topology.js'

interface Plan {
  readonly seed: number
  readonly bundle: Bundle
  readonly topology: Topology
  readonly order: Omit<WorkerOrder, 'route' | 'history' | 'seed'>
  /** What the files of its workers are called by. */
  readonly episode: string
}

const START_MS = 60_000

/** One place for a worker: when one is killed, the next takes it. */
class Post implements Victim {
  wires: readonly Wire[] = []
  readonly #told: Array<{ worker: string; history: string; killedAt: number | undefined }> = []
  readonly #words = new Set<Word>()
  #child: ChildProcess | undefined
  #generation = 0

  constructor(
    private readonly index: number,
    private readonly plan: Plan,
  ) {}

  get name(): string {
    return `w${this.index}${this.#generation === 0 ? '' : `-${this.#generation}`}`
  }

  get exited(): boolean {
    return this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  said(word: Word): boolean {
    return this.#words.has(word)
  }

  async start(): Promise<void> {
    const { topology, bundle, episode } = this.plan
    const { route, wires } = await topology.route()
    this.wires = wires
    const file = (what: string): string => join(bundle.folder, `${episode}-${this.name}.${what}`)
    const history = file('jsonl')
    const seed = this.plan.seed + 1_000 * this.index + 100_000 * this.#generation
    const order: WorkerOrder = { ...this.plan.order, route, history, seed }
    await writeFile(file('json'), JSON.stringify(order))
    await writeFile(history, '')
    this.#told.push({ worker: this.name, history, killedAt: undefined })
    this.#words.clear()
    const child = fork(bundle.worker, [file('json')], { execArgv: ['--enable-source-maps'] })
    this.#child = child
    child.on('message', (word: Word) => this.#words.add(word))
    const limit = setTimeout(() => child.kill('SIGKILL'), START_MS)
    await new Promise<void>((resolve) => {
      child.on('message', (word: Word) => word === 'ready' && resolve())
      child.once('exit', () => resolve())
    })
    clearTimeout(limit)
    if (this.exited) throw new Error(`${this.name} did not start`)
  }

  tell(command: Command): void {
    if (this.#child?.connected) this.#child.send(command, () => undefined)
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal)
  }

  async kill(): Promise<void> {
    await this.end()
    this.#generation += 1
    await this.start()
  }

  async end(): Promise<void> {
    const child = this.#child
    if (child && !this.exited) {
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      const last = this.#told.at(-1)
      if (last) last.killedAt = now()
      await exit
    }
    for (const wire of this.wires) wire.stop()
  }

  histories(): WorkerHistory[] {
    return this.#told.map(({ history, ...told }) => ({ ...told, events: readHistory(history) }))
  }
}

export class Crew {
  readonly posts: readonly Post[]

  constructor(size: number, plan: Plan) {
    this.posts = Array.from({ length: size }, (_, index) => new Post(index, plan))
  }

  async start(): Promise<void> {
    await Promise.all(this.posts.map((post) => post.start()))
  }

  /** Gives a command to all, and waits until each has said the word for it or is gone; tells whether they did in time. */
  async bid(command: Command, word: Word, withinMs: number): Promise<boolean> {
    for (const post of this.posts) post.tell(command)
    return await inTime(() => this.posts.every((post) => post.said(word) || post.exited), withinMs)
  }

  async gone(withinMs: number): Promise<boolean> {
    return await inTime(() => this.posts.every(({ exited }) => exited), withinMs)
  }

  async end(): Promise<void> {
    await Promise.all(this.posts.map((post) => post.end()))
  }

  histories(): WorkerHistory[] {
    return this.posts.flatMap((post) => post.histories())
  }
}

async function inTime(look: () => boolean, withinMs: number): Promise<boolean> {
  const deadline = now() + withinMs
  while (!look()) {
    if (now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return true
}
