import { pause, type Schedule } from '../../src/base/time/schedule.js'
import { type Hold, Holdfast, LockTimeoutError } from '../../src/index.js'
import type { Random } from '../../test/chaos/program/random.js'
import type { Connection } from './connection.js'
import type { FleetOrder } from './order.js'
import type { Traits } from './traits.js'

const LOCK = 'simulated'
/** The patience of those who leave. */
const LEAST_PATIENCE_MS = 200
const MOST_PATIENCE_MS = 20_000

/** What the members of a fleet share. */
export interface Surroundings {
  readonly schedule: Schedule
  /** Whether no caller is to ask again. */
  readonly over: boolean
  /** Told of each section; whether its process is to be killed in it. */
  entered(member: Member): boolean
  left(member: Member): void
  failed(what: unknown): void
}

/** One process of the fleet: a client with callers that want the same lock again and again. */
export class Member {
  readonly holdfast: Holdfast
  /** Waiter, requested, entered, left; section by section, as the drivers of real processes write it. */
  readonly sections: number[] = []
  dead = false

  constructor(
    readonly number: number,
    readonly traits: Traits,
    private readonly order: FleetOrder,
    private readonly connection: Connection,
    private readonly random: Random,
    private readonly around: Surroundings,
  ) {
    const { lingerMs, watchdogMs } = order
    this.holdfast = new Holdfast(connection, { lingerMs, watchdogMs })
    this.holdfast.on('lost', (loss) => this.dead || around.failed(loss))
  }

  begin(): void {
    for (let caller = 0; caller < this.order.callers; caller += 1)
      this.#loop(caller).catch((error: unknown) => this.dead || this.around.over || this.around.failed(error))
  }

  async #loop(caller: number): Promise<void> {
    const { schedule } = this.around
    const { thinksMs } = this.order
    while (!this.around.over && !this.dead) {
      if (thinksMs > 0) await pause(schedule, this.random.next() * thinksMs)
      const requestedAt = schedule.clock.now()
      const hold = await this.#ask(caller)
      if (!hold) continue
      const enteredAt = schedule.clock.now()
      const killed = this.around.entered(this)
      await pause(schedule, this.traits.sectionMs)
      this.sections.push(
        this.number * this.order.callers + caller,
        requestedAt,
        enteredAt,
        schedule.clock.now(),
      )
      if (killed) this.#die()
      this.around.left(this)
      if (!killed) await hold.release()
    }
  }

  async #ask(caller: number): Promise<Hold | undefined> {
    const lock = this.holdfast.lock(LOCK)
    if (caller >= this.traits.leaving) return await lock.acquire()
    try {
      return await lock.acquire({ waitMs: this.random.whole(LEAST_PATIENCE_MS, MOST_PATIENCE_MS) })
    } catch (error) {
      if (error instanceof LockTimeoutError) return undefined
      throw error
    }
  }

  #die(): void {
    this.dead = true
    this.connection.cut()
    // So that its callers go no further.
    this.holdfast.close().catch(() => undefined)
  }
}
