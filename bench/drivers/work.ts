import type { Clock } from './clock.js'
import type { Library } from './library.js'
import type { Order } from './order.js'
import type { Task } from './task.js'

const MOST_ERRORS = 5

/** Does what the order's scenario says. */
export class Work {
  readonly errors: string[] = []

  constructor(
    readonly library: Library,
    readonly order: Order,
    readonly now: Clock,
  ) {}

  /** Resolves when all tasks are through, to `true`; or at the end of patience, to `false`. */
  async run(tasks: readonly Task[], startAt: number): Promise<boolean> {
    const { scenario, durationMs, giveUpMs } = this.order
    const endAt = startAt + durationMs
    const patienceMs = scenario === 'burst' ? giveUpMs : durationMs + giveUpMs
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, startAt + patienceMs - this.now(), false)
    })
    const all = Promise.all(tasks.map((task, index) => this.#life(task, this.#key(index), endAt)))
    const through = await Promise.race([all.then((): true => true), patience])
    clearTimeout(timer)
    return through
  }

  #key(index: number): string {
    return this.order.scenario === 'keys' ? `${this.order.key}:${index}` : this.order.key
  }

  async #life(task: Task, key: string, endAt: number): Promise<void> {
    const { scenario } = this.order
    if (scenario === 'burst') return this.#once(task, key)
    for (let round = 0; this.now() < endAt; round += 1)
      await this.#once(task, scenario === 'fresh' ? `${key}:${round}` : key)
  }

  async #once(task: Task, key: string): Promise<void> {
    const { library, order } = this
    task.asks()
    try {
      if (order.scenario === 'nested') await library.nested?.(key, order.depth, task.body)
      else await library.section(key, task.body)
    } catch (error) {
      if (this.errors.length < MOST_ERRORS)
        this.errors.push(error instanceof Error ? `${error.name}: ${error.message}` : `${error}`)
      // So that a library which refuses at once is not asked in a circle that lets nothing else run.
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
}
