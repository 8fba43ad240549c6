import type { Schedule } from '../../src/base/time/schedule.js'
import type { Random } from '../../test/chaos/program/random.js'

/** By which part of itself a latency varies. */
const JITTER = 0.2
/** What arrives at one time arrives in any order. */
const APART_MS = 1e-6

/** One direction of a connection: what is sent arrives later, in order, or not at all once it is cut. */
export class Wire {
  #cut = false
  #lastAt = 0

  constructor(
    private readonly schedule: Schedule,
    private readonly random: Random,
    private readonly latencyMs: number,
    private readonly lateMs = 0,
  ) {}

  send(arrive: () => void): void {
    if (this.#cut) return
    const { schedule, random } = this
    const takesMs = this.latencyMs * (1 + JITTER * random.next()) + this.lateMs * random.next()
    this.#lastAt = Math.max(this.#lastAt + APART_MS, schedule.clock.now() + takesMs)
    schedule.at(this.#lastAt, arrive)
  }

  /** Resolves when what was sent now has arrived. */
  travel(): Promise<void> {
    return new Promise((resolve) => this.send(resolve))
  }

  cut(): void {
    this.#cut = true
  }
}
