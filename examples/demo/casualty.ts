import type { Crew } from './crew.js'
import type { Member } from './member.js'

/** How much later than its lease a dead holder's lock may move on, on a machine that has much else to do. */
const LATENESS_MS = 5_000
/** Long enough for any worker to get its turn. */
const TURN_MS = 30_000

/** The worker that is killed while it is surely inside. */
export class Casualty {
  /** Whether somebody entered while it held the lock. */
  trespassed = false
  #killedAt = Number.POSITIVE_INFINITY

  private constructor(
    private readonly crew: Crew,
    private readonly member: Member,
    private readonly insideSince: number,
  ) {}

  /** Has one worker stay in a section; resolves when it has told that it is there. */
  static async stop(crew: Crew): Promise<Casualty> {
    const member = crew.members[0]
    member?.tell({ order: 'stay' })
    const casualty = await crew.hear(
      (report) =>
        report.news.news === 'staying' ? new Casualty(crew, report.member, report.news.at) : undefined,
      TURN_MS,
    )
    if (!casualty) throw new Error('the worker that was told to stay inside did not get there')
    return casualty
  }

  get name(): string {
    return `worker ${this.member.number} (pid ${this.member.pid})`
  }

  async kill(): Promise<void> {
    this.#killedAt = Date.now()
    await this.member.kill()
  }

  /** How long after the kill the first of the others entered; undefined if none has, some seconds after the lease's end. */
  async movedOnMs(leaseMs: number): Promise<number | undefined> {
    const since = (): number | undefined => {
      const others = this.crew.members.filter((member) => member !== this.member)
      const entries = others.map(({ enteredAt }) => enteredAt).filter((at) => at > this.insideSince)
      this.trespassed ||= entries.some((at) => at <= this.#killedAt)
      return entries.length > 0 ? Math.min(...entries) - this.#killedAt : undefined
    }
    return since() ?? (await this.crew.hear(since, leaseMs + LATENESS_MS))
  }
}
