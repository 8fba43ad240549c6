import { Schedule } from '../../src/base/time/schedule.js'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import { MemoryRows } from '../../src/stores/memory/memory-rows.js'
import { Random } from '../../test/chaos/program/random.js'
import { jainsIndex, type Shares, sharesOf } from '../measure/fairness.js'
import { FIELDS, merge } from '../measure/records.js'
import { Connection, type Traffic } from './connection.js'
import { Member, type Surroundings } from './member.js'
import type { FleetFigures, FleetOrder } from './order.js'
import { traitsOf } from './traits.js'

/** What all processes need to leave, and a lease that nobody renews to end. */
const LEAVING_MS = 60_000

/**
 * A fleet of processes with the real core, in one process and in virtual time: what is simulated is the network, the store's place and the
 * pace of processes, nothing of the lock. The same seed gives the same sections.
 */
export class Fleet implements Surroundings {
  readonly clock = new VirtualClock()
  readonly #failures: unknown[] = []
  readonly schedule = new Schedule(this.clock, (error) => this.failed(error))
  over = false
  readonly #traffic: Traffic = { commands: 0, messages: 0 }
  readonly #members: readonly Member[]
  readonly #turns: number[]
  readonly #recoveriesMs: number[] = []
  #last: number | undefined
  #inside: number | undefined
  #overlaps = 0
  #killedAt: number | undefined
  #kills = 0

  constructor(private readonly order: FleetOrder) {
    const random = new Random(order.seed)
    const rows = new MemoryRows(this.clock)
    this.#turns = new Array<number>(order.processes).fill(0)
    this.#members = Array.from({ length: order.processes }, (_, number) => {
      const traits = traitsOf(number)
      const own = random.branch(number)
      const connection = new Connection(rows, this.#traffic, this.schedule, own, traits)
      return new Member(number, traits, order, connection, own, this)
    })
  }

  async run(): Promise<FleetFigures> {
    for (const member of this.#members) member.begin()
    await this.clock.advance(this.order.durationMs)
    this.over = true
    const figures = this.#figures()
    const closed = Promise.all(this.#members.map(({ holdfast }) => holdfast.close()))
    await this.clock.advance(LEAVING_MS)
    await closed
    return figures
  }

  entered({ number }: Member): boolean {
    const now = this.clock.now()
    if (this.#inside !== undefined) this.#overlaps += 1
    if (number !== this.#last) this.#turns[number] = (this.#turns[number] ?? 0) + 1
    this.#inside = number
    this.#last = number
    if (this.#killedAt !== undefined) this.#recoveriesMs.push(now - this.#killedAt)
    this.#killedAt = undefined
    const { kills, durationMs } = this.order
    const kill = this.#kills < kills && now >= (durationMs * (this.#kills + 1)) / (kills + 1)
    if (kill) this.#kills += 1
    return kill
  }

  left({ number, dead }: Member): void {
    if (this.#inside === number) this.#inside = undefined
    if (dead) this.#killedAt = this.clock.now()
  }

  failed(what: unknown): void {
    this.#failures.push(what)
  }

  #figures(): FleetFigures {
    const { order } = this
    const living = this.#members.filter(({ dead }) => !dead)
    const all = merge(this.#members.map(({ sections }) => Float64Array.from(sections)))
    const usual = living.filter(({ traits }) => traits.lateMs === 0)
    const turns = this.#turns.reduce((sum, each) => sum + each, 0)
    const { worstWaitMs, starved } = this.#patientShares(living)
    return {
      ...order,
      sections: all.count,
      commandsPerSection: this.#traffic.commands / all.count,
      messagesPerSection: this.#traffic.messages / all.count,
      jain: jainsIndex(usual.map(({ sections }) => sections.length)) ?? 0,
      jainOfTurns: jainsIndex(living.map(({ number }) => this.#turns[number] ?? 0)) ?? 0,
      sectionsPerTurn: all.count / turns,
      longestWaitMs: worstWaitMs,
      starved,
      recoveryMs: this.#recoveriesMs.length > 0 ? Math.max(...this.#recoveriesMs) : undefined,
      overlaps: this.#overlaps,
      failures: this.#failures.map(String),
    }
  }

  /** What those got who wait until it is their turn. */
  #patientShares(living: readonly Member[]): Shares {
    const { callers, durationMs } = this.order
    const numbers = living.flatMap(({ number, traits }) =>
      Array.from(
        { length: callers - traits.leaving },
        (_, caller) => number * callers + traits.leaving + caller,
      ),
    )
    const at = new Map(numbers.map((waiter, index) => [waiter, index]))
    const parts = living.map(({ sections }) => {
      const kept: number[] = []
      for (let from = 0; from < sections.length; from += FIELDS) {
        const [waiter = 0, ...times] = sections.slice(from, from + FIELDS)
        const index = at.get(waiter)
        if (index !== undefined) kept.push(index, ...times)
      }
      return Float64Array.from(kept)
    })
    return sharesOf(merge(parts), numbers.length, { from: 0, to: durationMs, again: true })
  }
}
