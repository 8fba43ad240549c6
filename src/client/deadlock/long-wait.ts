import type { LockRole } from '../../base/errors/deadlock-error.js'
import type { Schedule, TimerHandle } from '../../base/time/schedule.js'
import type { LongWait } from '../../core/services.js'
import type { Edge, HeldLock, SeenEdge } from '../../port/edges-port.js'
import { chase } from './chase.js'
import type { View } from './view.js'

/** How long a call waits before it leaves an edge. */
export const LONG_MS = 500
/** How long it pauses after its first chase, and at the most. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 4_000
/** So many chases a second are made by one client: where more calls wait, each pauses longer. */
const MOST_PER_SECOND = 100
/** How much longer than until the next time an edge is left. */
const SPARE_MS = 2_000
/** More are not told of. */
const MOST_HOLDS = 128
/** A stack is cut after so many characters: its first lines are what people look at. */
const LONGEST_STACK = 2_000

/** What a wait needs of its client. */
export interface Surroundings {
  readonly view: View
  readonly schedule: Schedule
  readonly rejects: boolean
  /** Whether anything would come of a deadlock that is found. */
  readonly cares: boolean
  /** How many calls of the client have left an edge. */
  readonly edges: number
  /** For an edge that is about to be left. */
  newId(wait: LongWait): string
  heldBy(wait: LongWait, waitsFor: LockRole): readonly HeldLock[]
  found(cycle: readonly SeenEdge[], edge: Edge, wait: LongWait): void
  /** Returns whether there is use in another try. */
  failed(error: unknown): boolean
  /** The wait of an edge has ended. */
  over(cleaning: Promise<void>): void
}

/** One call that waits within a section: when that lasts, it leaves an edge, and looks for a cycle now and then, until the wait ends. */
export class WaitWithin {
  #timer: TimerHandle | undefined
  #edge: Edge | undefined
  /** What is under way; never rejects. */
  #work: Promise<void> | undefined
  #ended = false
  #hopeless = false
  #rounds = 0

  constructor(
    private readonly around: Surroundings,
    private readonly wait: LongWait,
    private readonly waitsFor: LockRole,
    private readonly calledAt: string | undefined,
  ) {
    this.#timer = around.schedule.at(wait.startedAt + LONG_MS, () => this.#begin())
  }

  /** The wait has ended, in whatever way: its edge goes, after what is under way (rule K5). */
  end(): void {
    this.#ended = true
    this.around.schedule.cancel(this.#timer)
    if (this.#edge) this.around.over(this.#clean(this.#edge))
  }

  #begin(): void {
    const { around } = this
    this.#work = this.#round().catch((error: unknown) => {
      this.#hopeless = !around.failed(error)
    })
    void this.#work.then(() => this.#pause())
  }

  async #round(): Promise<void> {
    const { around, wait, waitsFor } = this
    const { view, schedule } = around
    const holds = around
      .heldBy(wait, waitsFor)
      .slice(0, MOST_HOLDS)
      .map((hold) => ({ ...hold, takenAt: hold.takenAt?.slice(0, LONGEST_STACK) }))
    if (holds.length === 0) return
    const id = this.#edge?.id ?? around.newId(wait)
    const edge: Edge = {
      id,
      owner: wait.call.caller.owner,
      waitsFor,
      holds,
      rejects: around.rejects,
      waitsAt: this.calledAt?.slice(0, LONGEST_STACK),
    }
    this.#edge = edge
    this.#rounds += 1
    await view.edges.leave(edge, schedule.clock.now() - wait.startedAt, this.#pauseMs + SPARE_MS)
    if (this.#ended || !around.cares) return
    const cycle = await chase(edge, view)
    if (cycle && !this.#ended) around.found(cycle, edge, wait)
  }

  #pause(): void {
    const { schedule } = this.around
    if (this.#ended || this.#hopeless || !this.#edge) return
    this.#timer = schedule.at(schedule.clock.now() + this.#pauseMs, () => this.#begin())
  }

  /** 1, 1, 2, 4, 4 … seconds. */
  get #pauseMs(): number {
    const grown = FIRST_PAUSE_MS * 2 ** Math.max(this.#rounds - 2, 0)
    const shared = (this.around.edges * 1_000) / MOST_PER_SECOND
    return Math.max(Math.min(grown, LONGEST_PAUSE_MS), shared)
  }

  /** Not before what is under way, which may yet leave the edge. */
  async #clean(edge: Edge): Promise<void> {
    await this.#work
    if (this.#hopeless) return
    await this.around.view.edges.withdraw(edge).catch((error: unknown) => {
      this.around.failed(error)
    })
  }
}
