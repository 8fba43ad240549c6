import type { Scheduler } from 'fast-check'
import type { HoldfastOptions } from '../../src/index.js'
import { BaseClock, ClientClock } from './base-clock.js'
import { History } from './history.js'
import { Inspector } from './inspector.js'
import { type Excuses, ModelClient } from './model-client.js'
import type { Plan } from './program.js'
import { Server } from './server.js'
import { type Fate, SlowPort } from './slow-port.js'
import { type Sections, Task } from './task.js'

/** The laws of one world. */
export interface Laws {
  readonly options: HoldfastOptions & { readonly commandTimeoutMs: number }
  /** Time passes only when nothing else is to be done: no command is ever slow. */
  readonly calm?: boolean
  /** Whether those who wait stand in line, as they do unless it says so. */
  readonly line?: boolean
  /** Whether the network lies between clients and rows, as in a database. */
  readonly farRows?: boolean
  readonly lossMayHappen: Excuses['lossMayHappen']
}

/** How long in all a plan may take until nothing is left to be done. */
const LONGEST_MS = 400_000
/** Timers that fire in one millisecond: more is a spin. */
const MOST_TIMERS_IN_A_MS = 300

/** A world of a few clients and one server, in which the scheduler decides what happens next, and every promise is checked. */
export class World {
  readonly clock = new BaseClock()
  readonly server = new Server(this.clock)
  readonly history = new History(this.server)
  readonly clients: readonly ModelClient[]
  readonly #clocks: readonly ClientClock[]
  readonly #sections: Sections = new Set()
  readonly #inspector: Inspector
  #resumes: Array<() => Promise<void>> = []
  #timeIsDue = false
  #timeSteps = 0

  constructor(
    private readonly plan: Plan,
    private readonly laws: Laws,
    private readonly scheduler: Scheduler,
    fates: readonly Fate[],
  ) {
    const remaining = [...fates]
    const faults = fates.some((fate) => fate !== 'answered')
    this.#clocks = plan.clients.map(({ rate }) => new ClientClock(this.clock, rate))
    this.clients = this.#clocks.map((clock, number) => {
      const port = new SlowPort(this.server, {
        scheduler,
        clock,
        label: `c${number}`,
        laws,
        watchesInOrder: !laws.farRows && (plan.clients[number]?.watchesInOrder ?? true),
        fate: () => remaining.shift() ?? 'answered',
        log: (line) => {
          this.history.troubled ||= /timed out$|too late$/.test(line)
          this.history.log(line)
        },
      })
      const excuses = { lossMayHappen: laws.lossMayHappen, storeMayFail: faults || !laws.calm }
      return new ModelClient(number, clock, port, this.history, scheduler, excuses, laws.options)
    })
    this.history.troubled = faults
    this.#inspector = new Inspector(this.history, this.server, this.clients, {
      calmMs: 5,
      troubledMs: 4 * laws.options.commandTimeoutMs + 2_000,
    })
  }

  /** Lets everything happen; throws what was violated. */
  async run(): Promise<void> {
    this.#tick()
    let busy = true
    const work = this.plan.clients.flatMap(({ tasks, pauses, closeAfter }, number) => {
      const client = this.clients[number]
      if (!client) return []
      for (const { after, ms } of pauses) void client.after(after, 'pause', () => this.#pause(number, ms))
      const closing = closeAfter !== undefined && client.after(closeAfter, 'close', () => client.close())
      return [closing, ...tasks.map((steps) => new Task(client, this.#sections).run(steps))]
    })
    const settled = Promise.all(work)
      .catch((error) => this.history.fail(`a task failed: ${error instanceof Error ? error.stack : error}`))
      .finally(() => {
        busy = false
      })
    const atRest = ({ holdfast }: ModelClient) => Object.values(holdfast.census).every((count) => count === 0)
    await this.#goOnWhile(() => busy || this.#pending || !this.clients.every(atRest))
    await settled
    this.#inspector.checkLeftovers()
    busy = true
    void Promise.all(this.clients.map((client) => client.close())).then(() => {
      busy = false
    })
    await this.#goOnWhile(() => busy)
    for (const { number, holdfast } of this.clients) {
      const left = Object.entries(holdfast.census).filter(([, count]) => count > 0)
      if (left.length > 0) this.history.fail(`c${number} left alive after close: ${JSON.stringify(left)}`)
    }
    this.#throwIfViolated()
  }

  async #goOnWhile(condition: () => boolean): Promise<void> {
    this.#throwIfViolated()
    while (condition()) {
      await this.scheduler.waitNext(1)
      await this.#settled()
      if (this.#timeIsDue) await this.#passTime()
      for (const resume of this.#resumes.splice(0)) await resume()
      if (this.clock.now() > LONGEST_MS)
        this.history.fail(
          `not done in time: ${JSON.stringify(this.clients.map((each) => each.holdfast.census))}`,
        )
      this.#throwIfViolated()
    }
  }

  #tick(): void {
    void this.scheduler.schedule(Promise.resolve(), 'time').then(() => {
      this.#timeIsDue = true
    })
  }

  async #passTime(): Promise<void> {
    const idle = this.scheduler.count() === 0
    const { timeSteps } = this.plan
    const step = timeSteps[this.#timeSteps % timeSteps.length] ?? 1
    this.#timeSteps += 1
    if (idle || !this.laws.calm) {
      // With nothing else to do, time goes on to whatever is due next.
      const { nextDueAt } = this.clock
      if (idle && nextDueAt === Infinity && this.history.asks.size > 0)
        this.history.fail('stuck: nothing will ever happen')
      const until = Math.max(this.clock.now() + step, idle && Number.isFinite(nextDueAt) ? nextDueAt : 0)
      let since = this.clock.now()
      let fired = 0
      while (this.clock.fireNext(until)) {
        await this.#settled()
        this.#throwIfViolated()
        fired += 1
        if (this.clock.now() > since + 1) {
          since = this.clock.now()
          fired = 0
        }
        if (fired > MOST_TIMERS_IN_A_MS) this.history.fail('spins: timer after timer without time passing')
        if (idle && this.scheduler.count() > 0) break
      }
    }
    this.#timeIsDue = false
    this.#tick()
  }

  #pause(number: number, ms: number): void {
    const clock = this.#clocks[number]
    if (!clock || clock.paused) return
    clock.pause()
    this.clock.startTimer(() => {
      this.history.log(`c${number} runs again`)
      this.#resumes.push(() => clock.resume(() => this.#settled()))
    }, ms)
  }

  /** Lets all that can go on without the scheduler go on, then checks the promises. */
  async #settled(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve))
    this.#inspector.look(this.#pending)
  }

  /** Whether anything but time is on its way. */
  get #pending(): boolean {
    return this.scheduler.count() > (this.#timeIsDue ? 0 : 1)
  }

  #throwIfViolated(): void {
    if (this.history.violation) throw this.history.violation
  }
}
