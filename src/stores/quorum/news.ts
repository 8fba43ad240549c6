import { retryPauseMs } from '../../base/time/back-off.js'
import type { Schedule, TimerHandle } from '../../base/time/schedule.js'
import type { News, Watch } from '../../port/lock-port.js'
import { concluded, countOf, failuresIn } from './answers.js'
import { quorumFailure } from './failure.js'
import { majorityOf, sparesOf } from './majority.js'
import type { Member } from './member.js'

/** One attempt, as the watches of its lock see it. */
export interface WatchedAttempt {
  /** How often votes were split in a row before it. */
  readonly splitsBefore: number
  granted(): void
  /**
   * @param grants the servers that had voted for it, and are free again.
   * @param split whether no owner has a majority, as far as known
   * @param quietMs for how long news is kept back, after so many splits in a row: not all clients must come back at once. After a split that
   *   is from now on, else from when a majority may be free
   */
  refused(grants: readonly number[], split: boolean, quietMs: (splits: number) => number): void
}

/**
 * The watches of one client on all servers. A message from one server wakes no waiter: an attempt succeeds only if a majority is free,
 * and returned votes are announced too, so clients whose attempts fail would wake each other for ever. The waiter wakes when a majority
 * may be free: servers that had voted for its last attempt, or have announced something since.
 */
export class QuorumWatches {
  readonly #watches = new Map<string, Set<QuorumWatch>>()

  constructor(
    private readonly members: readonly Member[],
    private readonly schedule: Schedule,
  ) {}

  open(name: string, onNews: (news?: News) => void): Watch {
    const watches = this.#watches.get(name) ?? new Set()
    this.#watches.set(name, watches)
    const watch = new QuorumWatch(name, this.members, this.schedule, onNews, () => {
      watches.delete(watch)
      if (watches.size === 0 && this.#watches.get(name) === watches) this.#watches.delete(name)
    })
    watches.add(watch)
    return watch
  }

  /** An attempt begins: its answers cover every earlier announcement. */
  attempt(name: string): WatchedAttempt {
    const watches = [...(this.#watches.get(name) ?? [])]
    for (const watch of watches) watch.free.clear()
    return {
      splitsBefore: Math.max(0, ...watches.map(({ splits }) => splits)),
      granted: () => {
        for (const watch of watches) watch.splits = 0
      },
      refused: (grants, split, quietMs) => {
        for (const watch of watches) watch.refused(grants, split, quietMs)
      },
    }
  }

  close(): void {
    for (const watches of [...this.#watches.values()]) for (const watch of [...watches]) watch.close()
  }
}

/** One watch: a watch on each member, begun again if it fails. */
class QuorumWatch implements Watch {
  readonly confirmed: Promise<void>
  /** Servers on which the lock may have become free since the last attempt. */
  readonly free = new Set<number>()
  /** Attempts in a row whose votes were split. */
  splits = 0
  readonly #watches: Array<Watch | undefined> = []
  readonly #again = new Map<number, TimerHandle>()
  /** Until when news is kept back; undefined: that is decided when there is some. */
  #quietUntil: number | undefined = -Infinity
  #quietMs: () => number = () => 0
  #telling: TimerHandle | undefined
  #closed = false

  constructor(
    private readonly name: string,
    private readonly members: readonly Member[],
    private readonly schedule: Schedule,
    private readonly onNews: (news?: News) => void,
    private readonly onClose: () => void,
  ) {
    this.confirmed = this.#confirm(members.map((_, index) => this.#watch(index, 0)))
    this.confirmed.catch(() => this.close())
  }

  refused(grants: readonly number[], split: boolean, quietMs: (splits: number) => number): void {
    const now = this.schedule.clock.now()
    this.#quietUntil = split ? now + quietMs(this.splits) : undefined
    this.#quietMs = () => quietMs(0)
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
      if (countOf(answers, () => true) >= majorityOf(servers)) return true
      if (failuresIn(answers) <= sparesOf(servers)) return undefined
      const failures = answers.flatMap((answer, index) =>
        answer.state === 'failed' ? [{ label: this.members[index]?.label ?? '', error: answer.error }] : [],
      )
      throw quorumFailure('watch', this.name, failures, servers)
    })
  }

  /** @param failures how often in a row it has failed. Announcements after the first failure are unknown. */
  #watch(index: number, failures: number): Promise<void> {
    const watch = this.members[index]?.port.watch(this.name, () => this.#heard(index))
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

  #heard(index: number): void {
    if (this.#closed) return
    this.free.add(index)
    this.#tellIfMajority()
  }

  #tellIfMajority(): void {
    if (this.#closed || this.#telling || this.free.size < majorityOf(this.members.length)) return
    this.#quietUntil ??= this.schedule.clock.now() + this.#quietMs()
    if (this.schedule.clock.now() < this.#quietUntil) {
      this.#telling = this.schedule.at(this.#quietUntil, () => {
        this.#telling = undefined
        this.#tellIfMajority()
      })
      return
    }
    // Once: the waiter asks again, and until then there is nothing to add.
    this.free.clear()
    this.onNews()
  }
}
