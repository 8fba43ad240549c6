import {
  type CloseOptions,
  Holdfast,
  type HoldfastOptions,
  type RedisClient,
  type Store,
} from '../../src/index.js'
import { redisStoreOf } from '../../src/stores/redis/store.js'
import type { Told } from './history/event.js'
import { observed } from './observed.js'
import type { Numbers } from './program/counts.js'
import { Handles } from './program/handles.js'
import { Interpreter } from './program/interpreter.js'
import type { Ledger } from './program/ledger.js'
import type { Resource } from './program/resource.js'
import type { Step } from './program/step.js'

const COMPUTED_TTL_MS = 30
const REST_MS = 6_000
const LEASE_MS = 30_000

export class Client {
  readonly holdfast: Holdfast
  readonly handles: Handles
  readonly #interpreter: Interpreter
  readonly #programs = new Set<Promise<void>>()

  constructor(
    store: RedisClient | Store,
    options: HoldfastOptions,
    private readonly resources: readonly Resource[],
    numbers: Numbers,
    ledger: Ledger | undefined,
    private readonly write: (told: Told) => void,
  ) {
    const watched = observed(redisStoreOf(store), (...told) => this.#interpreter.placed(...told))
    this.holdfast = new Holdfast(watched, options)
    this.handles = new Handles(this.holdfast, resources)
    const ttlMs = { computed: COMPUTED_TTL_MS, lease: options.watchdogMs ?? LEASE_MS }
    this.#interpreter = new Interpreter(this.holdfast, resources, ttlMs, numbers, ledger, write)
  }

  async run(program: readonly Step[]): Promise<void> {
    const running = this.#interpreter.run(program).finally(() => this.#programs.delete(running))
    this.#programs.add(running)
    await running
  }

  async close(options: CloseOptions = {}): Promise<number> {
    const began = performance.now()
    await this.holdfast.close(options)
    return performance.now() - began
  }

  async look(): Promise<void> {
    for (const { kind, name } of this.resources) {
      if (!['lock', 'fenced', 'spin', 'fair'].includes(kind)) continue
      const state = await this.handles.lock(name).inspect().then(JSON.stringify, String)
      this.write({ e: 'seen', name, state })
    }
    this.write({ e: 'seen', name: '', state: JSON.stringify(this.holdfast.census) })
  }

  /** Resolves when its programs have ended, and all that nobody awaits, and tells what is alive then. */
  async rest(): Promise<void> {
    while (this.#programs.size > 0) await Promise.all(this.#programs)
    await this.#interpreter.settled()
    this.write({ e: 'idle', census: await this.#restingCensus() })
  }

  /** What is alive when all has been undone that is undone behind the calls, or when that takes too long. */
  async #restingCensus(): Promise<Record<string, number>> {
    const deadline = performance.now() + REST_MS
    for (;;) {
      const { timers: _, ...census } = this.holdfast.census
      if (performance.now() > deadline || Object.values(census).every((count) => count === 0)) return census
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
