import { isLocked, type LockView } from '../lock-view.js'
import { brief } from './brief.js'
import { hrefOf, oldestHold, oldestWait, waitingOf } from './row.js'

/** The lock of a record, and since when, in milliseconds since 1970. */
export interface Peak {
  readonly name: string
  readonly href: string | null
  readonly since: number
}

/** All locks of a list in a few numbers. */
export interface Totals {
  readonly held: number
  readonly waiting: number
  readonly longestWait: Peak | null
  readonly longestHold: Peak | null
}

export function totalsOf(views: Iterable<LockView>): Totals {
  let [held, waiting] = [0, 0]
  let wait: readonly [LockView, number] | undefined
  let hold: readonly [LockView, number] | undefined
  for (const view of views) {
    if (isLocked(view)) held += 1
    waiting += waitingOf(view) ?? 0
    const waits = oldestWait(view)
    if (waits !== undefined && !(wait && wait[1] <= waits)) wait = [view, waits]
    const holds = oldestHold(view)
    if (holds !== undefined && !(hold && hold[1] <= holds)) hold = [view, holds]
  }
  return { held, waiting, longestWait: recordOf(wait), longestHold: recordOf(hold) }
}

function recordOf(found: readonly [LockView, number] | undefined): Peak | null {
  if (!found) return null
  const [{ name }, since] = found
  return { name: brief(name), href: hrefOf(name), since }
}

/** How the numbers were, from the oldest on, one every so often. */
export interface Trend {
  readonly everyMs: number
  readonly held: readonly number[]
  readonly waiting: readonly number[]
}

const EVERY_MS = 2_000
/** Five minutes. */
const MOST = 150

/** What the looks of the last minutes have counted. */
export class Trends {
  #held: readonly number[] = []
  #waiting: readonly number[] = []
  #lastAtMs = -Infinity

  /** Keeps the numbers, unless it has just kept others. */
  note({ held, waiting }: Totals, atMs: number): void {
    if (atMs - this.#lastAtMs < EVERY_MS * 0.9) return
    this.#lastAtMs = atMs
    this.#held = [...this.#held, held].slice(-MOST)
    this.#waiting = [...this.#waiting, waiting].slice(-MOST)
  }

  get trend(): Trend {
    return { everyMs: EVERY_MS, held: this.#held, waiting: this.#waiting }
  }
}
