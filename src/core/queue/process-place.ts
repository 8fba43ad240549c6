import type { Owner } from '../../base/identity/owner.js'
import type { News } from '../../port/lock-port.js'

/** The one place that the process has in the store's line, if the store keeps one and the process stands in it. */
export class ProcessPlace {
  /** Whether a waiter asks under its owner at the moment: two would both be granted the lock. */
  lent = false

  /** @param restsUntil the process asks nothing before that time: the store tells it of what happens earlier */
  constructor(
    readonly owner: Owner,
    public restsUntil: number,
  ) {}

  /** The owner that the place is kept for, for the next question of one waiter: until that is answered, or given back. */
  lend(): Owner | undefined {
    if (this.lent) return undefined
    this.lent = true
    return this.owner
  }

  onSignal(news: News | undefined, now: number): void {
    const until = news?.lookInMs === undefined ? -Infinity : now + news.lookInMs
    this.restsUntil = Math.min(this.restsUntil, until)
  }
}
