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
  /** How many of these their processes may keep with nobody inside (`lingerMs`). */
  readonly kept: number
  readonly waiting: number
  readonly longestWait: Peak | null
  readonly longestHold: Peak | null
}

export function totalsOf(views: Iterable<LockView>): Totals {
  let [held, kept, waiting] = [0, 0, 0]
  let wait: readonly [LockView, number] | undefined
  let hold: readonly [LockView, number] | undefined
  for (const view of views) {
    if (isLocked(view)) held += 1
    if (isLocked(view) && view.lingers) kept += 1
    waiting += waitingOf(view) ?? 0
    const waits = oldestWait(view)
    if (waits !== undefined && !(wait && wait[1] <= waits)) wait = [view, waits]
    const holds = oldestHold(view)
    if (holds !== undefined && !(hold && hold[1] <= holds)) hold = [view, holds]
  }
  return { held, kept, waiting, longestWait: recordOf(wait), longestHold: recordOf(hold) }
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

/** No curve has more points, and none is for less than this many minutes. */
const MOST = 150
const LEAST_MS = 5 * 60_000

/** What the looks of the last minutes, or hours, have counted. */
export class Trends {
  readonly #everyMs: number
  readonly #held: number[] = []
  readonly #waiting: number[] = []
  #slot: number | undefined

  constructor(spanMs = 0) {
    this.#everyMs = Math.max(LEAST_MS, spanMs) / MOST
  }

  /** Keeps the greatest numbers of each stretch of time, and the last ones where nobody has counted. */
  note({ held, waiting }: Totals, atMs: number): void {
    const slot = Math.floor(atMs / this.#everyMs)
    const missed = this.#slot === undefined ? 1 : Math.min(MOST, slot - this.#slot)
    this.#slot = slot
    for (const [values, now] of [
      [this.#held, held],
      [this.#waiting, waiting],
    ] as const) {
      const last = values.at(-1) ?? now
      if (missed === 0) values[values.length - 1] = Math.max(last, now)
      else values.push(...Array.from({ length: missed - 1 }, () => last), now)
      values.splice(0, values.length - MOST)
    }
  }

  get trend(): Trend {
    return { everyMs: this.#everyMs, held: this.#held, waiting: this.#waiting }
  }
}
