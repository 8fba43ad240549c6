import type { Scheduler } from 'fast-check'
import type { HoldfastOptions } from '../../src/index.js'
import { BaseClock, ClientClock } from './base-clock.js'
import { type Held, History } from './history.js'
import { ModelClient } from './model-client.js'
import type { Plan } from './program.js'
import { Server } from './server.js'
import { type Fate, SlowPort } from './slow-port.js'
import { Task } from './task.js'

/** The laws of one world. */
export interface Laws {
  readonly options: HoldfastOptions & { readonly commandTimeoutMs: number }
  /** Time passes only when nothing else is to be done: no command is ever slow. */
  readonly calm: boolean
  readonly ordered: boolean
  /** Holds may be lost. */
  readonly lossMayHappen: boolean
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
  readonly #sections: ConstructorParameters<typeof Task>[1] = new Set()
  readonly #freeSince = new Map<string, number>()
  readonly #untoldSince = new Map<Held, number>()
  #resumes: Array<() => Promise<void>> = []
  #timeIsDue = false
  #timeSteps = 0
  readonly #storeMayFail: boolean

  constructor(
    private readonly plan: Plan,
    private readonly laws: Laws,
    private readonly scheduler: Scheduler,
    fates: readonly Fate[],
  ) {
    const remaining = [...fates]
    this.#storeMayFail = fates.some((fate) => fate !== 'answered') || !laws.calm
    this.#clocks = plan.clients.map(({ rate }) => new ClientClock(this.clock, rate))
    this.clients = this.#clocks.map((clock, number) => {
      const port = new SlowPort(this.server, {
        scheduler,
        clock,
        label: `c${number}`,
        commandTimeoutMs: laws.options.commandTimeoutMs,
        ordered: laws.ordered,
        watchesInOrder: plan.clients[number]?.watchesInOrder ?? true,
        fate: () => remaining.shift() ?? 'answered',
        log: (line) => this.history.log(line),
      })
      const excuses = { lossMayHappen: laws.lossMayHappen, storeMayFail: this.#storeMayFail }
      return new ModelClient(number, clock, port, this.history, scheduler, excuses, laws.options)
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
      const closing = closeAfter === undefined ? [] : [client.after(closeAfter, 'close', () => client.close())]
      return [...closing, ...tasks.map((steps) => new Task(client, this.#sections).run(steps))]
    })
    const settled = Promise.all(work).then(
      () => { busy = false },
      (error: unknown) => { busy = false; this.history.fail(`a task failed: ${error instanceof Error ? error.stack : error}`) },
    )
    await this.#goOnWhile(() => busy || !this.#quiet())
    await settled
    this.#checkLeftovers()
    busy = true
    void Promise.all(this.clients.map((client) => client.close())).then(() => { busy = false })
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
      if (this.clock.now() > LONGEST_MS) {
        this.history.fail(`not done in time: ${this.clients.map(({ holdfast }) => JSON.stringify(holdfast.census))}`)
      }
      this.#throwIfViolated()
    }
  }

  #tick(): void {
    void this.scheduler.schedule(Promise.resolve(), 'time').then(() => { this.#timeIsDue = true })
  }

  async #passTime(): Promise<void> {
    this.#timeIsDue = false
    const idle = this.scheduler.count() === 0
    const { timeSteps } = this.plan
    const step = timeSteps[this.#timeSteps % timeSteps.length] ?? 1
    this.#timeSteps += 1
    if (idle || !this.laws.calm) {
      // With nothing else to do, time goes on to whatever is due next.
      const { nextDueAt } = this.clock
      if (idle && nextDueAt === Number.POSITIVE_INFINITY && this.history.asks.size > 0) this.history.fail('stuck: nothing will ever happen')
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
    this.history.check()
    this.#checkTold()
    this.#checkWakeUps()
    this.#checkCounts()
  }

  /** A hold whose time has passed says so by its signal, as soon as the event loop runs (rule L3). */
  #checkTold(): void {
    const now = this.clock.now()
    for (const held of this.history.holds) {
      const untold = held.hold.remainingMs() === 0 && !held.hold.signal.aborted && held.awake()
      if (!untold) this.#untoldSince.delete(held)
      else if (!this.#untoldSince.has(held)) this.#untoldSince.set(held, now)
      else if (now - (this.#untoldSince.get(held) ?? now) > 1) {
        this.history.fail(`c${held.client} was not told that ${held.hold.name} (tenure ${held.serial}) is lost`)
      }
    }
  }

  /** A free lock does not stay free while somebody waits for it. */
  #checkWakeUps(): void {
    const now = this.clock.now()
    const pending = this.scheduler.count() - (this.#timeIsDue ? 0 : 1)
    const mostMs = this.#storeMayFail ? 4 * this.laws.options.commandTimeoutMs + 2_000 : 5
    for (const name of ['a', 'b']) {
      const waiting = [...this.history.asks].find(
        (ask) => ask.name === name && !ask.expired() && !this.#clocks[ask.client]?.paused,
      )
      const free = this.server.freed.has(name) && this.server.serial(name) === undefined
      if (!waiting || !free || pending > 0) this.#freeSince.delete(name)
      else if (!this.#freeSince.has(name)) this.#freeSince.set(name, now)
      else if (now - (this.#freeSince.get(name) ?? now) > mostMs) {
        this.history.fail(`lost wake-up: ${name} is free, and c${waiting.client} waits on`)
      }
    }
  }

  /** The store counts as many holds as there are, when nothing is on its way. Scopes lock "b" unseen, so "a" is looked at. */
  #checkCounts(): void {
    const lock = this.server.locks.find('a')
    if (!lock) return
    for (const { number, holdfast, port } of this.clients) {
      const { calls, strays } = holdfast.census
      if (calls > 0 || strays > 0 || port.busyWith('a')) continue
      const mine = [...this.history.holds].filter(({ client, hold, serial }) => {
        return client === number && hold.name === 'a' && serial === this.server.serial('a') && !this.history.given.has(serial)
      })
      const [first] = mine
      if (!first || this.server.forced.has(first.serial)) continue
      const counted = this.server.count('a', first.hold.owner)
      const wrong = this.#storeMayFail ? counted < mine.length : counted !== mine.length
      if (wrong) this.history.fail(`c${number} has ${mine.length} holds of "a", the store counts ${counted}`)
    }
  }

  #quiet(): boolean {
    if (this.scheduler.count() > (this.#timeIsDue ? 0 : 1)) return false
    return this.clients.every(({ holdfast: { census } }) => Object.values(census).every((count) => count === 0))
  }

  /** Nothing is left in the store but what its holder has lost or was closed with: that ends with its lease. */
  #checkLeftovers(): void {
    for (const name of this.server.locks.names()) {
      const serial = this.server.serial(name)
      if (serial === undefined || this.history.given.has(serial)) continue
      this.history.fail(`a stray hold is left in the store: ${name}, tenure ${serial}`)
    }
  }

  #throwIfViolated(): void {
    if (this.history.violation) throw this.history.violation
  }
}
