import { retryPauseMs } from '../../base/time/back-off.js'
import type { Schedule, TimerHandle } from '../../base/time/schedule.js'
import type { News, Watch } from '../../port/lock-port.js'
import { concluded, failuresIn, repliesIn } from './answers.js'
import { failuresOf, quorumFailure } from './failure.js'
import { majorityOf, sparesOf } from './majority.js'
import type { Member } from './member.js'
import { turnPauseMs } from './timing.js'

/** The time after which a client with a lost ticket, or an unheard turn, asks again, however fast the turns of others follow each other. */
const LONGEST_UNASKED_MS = 1_000

/** How long a client keeps news back, so that not all clients come back at once. */
export interface Pauses {
  /** Whether no owner has a majority, as far as known. */
  readonly split: boolean
  /** From now on, after so many splits in a row. */
  readonly afterSplits: (splits: number) => number
  /** From when a majority may be free. */
  readonly whenFree: () => number
}

/** One watch: a watch on each member, begun again if it fails. */
export class QuorumWatch implements Watch {
  readonly confirmed: Promise<void>
  /** Servers on which the lock may have become free since the last attempt. */
  readonly free = new Set<number>()
  /** The number of attempts in a row with split votes. */
  splits = 0
  readonly #watches: Array<Watch | undefined> = []
  readonly #again = new Map<number, TimerHandle>()
  /** Until when it keeps news back after a split, and after a release; undefined: the next news decides. */
  #splitUntil = -Infinity
  #freeUntil: number | undefined = -Infinity
  #whenFree: () => number = () => 0
  /** Since when the last attempt may be out of date. */
  #freeSince: number | undefined
  /** The client whose turn the servers have announced since then: this one if it was among them, otherwise the last. */
  #turnOf: string | undefined
  #telling: TimerHandle | undefined
  #closed = false

  constructor(
    private readonly name: string,
    private readonly members: readonly Member[],
    private readonly schedule: Schedule,
    private readonly clientId: string,
    private readonly onNews: (news?: News) => void,
    private readonly onClose: () => void,
  ) {
    this.confirmed = this.#confirm(members.map((_, index) => this.#watch(index, 0)))
    this.confirmed.catch(() => this.close())
  }

  /** An attempt begins. */
  asks(): void {
    this.free.clear()
    this.#freeSince = undefined
    this.#turnOf = undefined
  }

  refused(grants: readonly number[], { split, afterSplits, whenFree }: Pauses): void {
    this.#splitUntil = split ? this.schedule.clock.now() + afterSplits(this.splits) : -Infinity
    this.#freeUntil = split ? -Infinity : undefined
    this.#whenFree = whenFree
    this.splits = split ? this.splits + 1 : 0
    for (const index of grants) this.free.add(index)
    this.#tellIfMajority()
  }

  doubt(): void {
    for (const watch of this.#watches) watch?.doubt?.()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    for (const watch of this.#watches) watch?.close()
    for (const handle of this.#again.values()) this.schedule.cancel(handle)
    this.schedule.cancel(this.#telling)
    this.onClose()
  }

  async #confirm(watching: readonly Promise<void>[]): Promise<void> {
    const servers = this.members.length
    await concluded(watching, (answers) => {
      if (repliesIn(answers).length >= majorityOf(servers)) return true
      if (failuresIn(answers) <= sparesOf(servers)) return undefined
      throw quorumFailure('watch', this.name, failuresOf(this.members, answers), servers)
    })
  }

  /** @param failures how often in a row it has failed. Announcements after the first failure are unknown. */
  #watch(index: number, failures: number): Promise<void> {
    const watch = this.members[index]?.port.watch(this.name, (news) => this.#heard(index, news))
    this.#watches[index] = watch
    const confirmed = watch?.confirmed ?? Promise.resolve()
    confirmed.then(
      () => failures > 0 && this.#heard(index),
      () => {
        watch?.close()
        if (this.#closed) return
        const again = this.schedule.clock.now() + retryPauseMs(failures + 1)
        this.#again.set(
          index,
          this.schedule.at(again, () => void this.#watch(index, failures + 1).catch(() => undefined)),
        )
      },
    )
    return confirmed
  }

  #heard(index: number, news?: News): void {
    if (this.#closed) return
    this.free.add(index)
    const turnOf = news?.turnOf
    if (turnOf !== undefined && turnOf !== this.#turnOf && this.#turnOf !== this.clientId) {
      this.#turnOf = turnOf
      // The waiters are alive: one after the other has its turn.
      this.#freeUntil = undefined
    }
    this.#tellIfMajority()
  }

  #tellIfMajority(): void {
    if (this.#closed || this.free.size < majorityOf(this.members.length)) return
    const now = this.schedule.clock.now()
    const until = Math.max(
      this.#splitUntil,
      this.#turnOf === this.clientId ? -Infinity : this.#quietUntil(now),
    )
    this.schedule.cancel(this.#telling)
    this.#telling = undefined
    if (now < until) {
      this.#telling = this.schedule.at(until, () => {
        this.#telling = undefined
        this.#tellIfMajority()
      })
      return
    }
    // Once: the waiter asks again, and until then there is nothing to add.
    this.free.clear()
    this.onNews()
  }

  #quietUntil(now: number): number {
    this.#freeSince ??= now
    this.#freeUntil ??=
      this.#turnOf === undefined
        ? now + this.#whenFree()
        : Math.min(now + turnPauseMs(Math.random()), this.#freeSince + LONGEST_UNASKED_MS)
    return this.#freeUntil
  }
}
