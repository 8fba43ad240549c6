import { EventEmitter, on } from 'node:events'
import { Member } from './member.js'
import type { Brief, News } from './message.js'
import { sumOf, type Tally } from './tally.js'

/** Long enough for any machine to fork a process, and for any section to end. */
const REST_MS = 60_000

/** What a worker told, and which. */
export interface Report {
  readonly member: Member
  readonly news: News
}

/** The worker processes. */
export class Crew extends EventEmitter<{ report: [Report] }> {
  readonly members: readonly Member[]
  readonly #failure = new AbortController()
  readonly #signal: AbortSignal

  private constructor(size: number, brief: Brief, signal: AbortSignal) {
    super()
    this.#signal = AbortSignal.any([signal, this.#failure.signal])
    this.members = Array.from({ length: size }, (_, index) => new Member(index + 1, brief, this.#hear))
  }

  /**
   * Forks them; resolves when all are ready.
   *
   * @param signal ends every wait for them.
   */
  static async fork(size: number, brief: Brief, signal: AbortSignal): Promise<Crew> {
    const crew = new Crew(size, brief, signal)
    try {
      await crew.#untilAllRest()
      return crew
    } catch (error) {
      await crew.dismiss()
      throw error
    }
  }

  /** What they have done together in this shift. */
  get tally(): Tally {
    return sumOf(this.members.map(({ tally }) => tally))
  }

  work(dir: string, guarded: boolean): void {
    for (const member of this.#present) member.tell({ order: 'work', dir, guarded })
  }

  /** Has all finish what they are at. */
  async rest(): Promise<void> {
    for (const member of this.#present) member.tell({ order: 'rest' })
    await this.#untilAllRest()
  }

  /** Waits until a report is what `accept` looks for; undefined if none is within `withinMs`. */
  async hear<Found>(
    accept: (report: Report) => Found | undefined,
    withinMs: number,
  ): Promise<Found | undefined> {
    const timeout = AbortSignal.timeout(Math.ceil(withinMs))
    try {
      for await (const [report] of on(this, 'report', { signal: AbortSignal.any([this.#signal, timeout]) })) {
        const found = accept(report)
        if (found !== undefined) return found
      }
    } catch (error) {
      this.#signal.throwIfAborted()
      if (!timeout.aborted) throw error
    }
    return undefined
  }

  /** Lets them do what they are at for a while. */
  async continue(ms: number): Promise<void> {
    await this.hear(() => undefined, ms)
  }

  async dismiss(): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()))
  }

  get #present(): readonly Member[] {
    return this.members.filter(({ doing }) => doing !== 'killed')
  }

  readonly #hear = (member: Member, news: News): void => {
    if (news.news === 'failed') {
      this.#failure.abort(new Error(`worker ${member.number} (pid ${member.pid}) failed: ${news.why}`))
    } else {
      this.emit('report', { member, news })
    }
  }

  async #untilAllRest(): Promise<void> {
    while (this.#present.some(({ doing }) => doing !== 'resting')) {
      const resting = await this.hear(({ news }) => (news.news === 'progress' ? undefined : true), REST_MS)
      if (!resting) throw new Error(`the workers do not come to rest within ${REST_MS / 1_000} s`)
    }
  }
}
