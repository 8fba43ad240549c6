import type { Records } from './records.js'

/**
 * Jain's fairness index: 1 when all got the same, 1/n when one got all (Jain, Chiu and Hawe, 1984). Of nobody, and where nobody
 * got anything, `undefined`.
 */
export function jainsIndex(shares: readonly number[]): number | undefined {
  const sum = shares.reduce((total, share) => total + share, 0)
  const squares = shares.reduce((total, share) => total + share * share, 0)
  return squares === 0 ? undefined : (sum * sum) / (shares.length * squares)
}

/** The stretch of time in which sections count. */
export interface Window {
  readonly from: number
  readonly to: number
  /** Whether waiters ask again after each section (a loop), or are done with one (a burst). */
  readonly again: boolean
}

export interface Shares {
  /** Sections that each waiter entered within the window. */
  readonly perWaiter: readonly number[]
  readonly jain: number | undefined
  /** Waiters who got nothing. */
  readonly starved: number
  /**
   * The longest wait. One that was still going on when the window closed counts as long as it had lasted, so that those who
   * never got in are not left out.
   */
  readonly worstWaitMs: number
}

export function sharesOf(records: Records, waiters: number, window: Window): Shares {
  const perWaiter = new Array<number>(waiters).fill(0)
  const waitingSince = new Float64Array(waiters).fill(window.from)
  let worstWaitMs = 0
  for (let index = 0; index < records.count; index += 1) {
    const enteredAt = records.enteredAt[index] ?? 0
    if (enteredAt > window.to) break
    const waiter = records.waiter[index] ?? 0
    perWaiter[waiter] = (perWaiter[waiter] ?? 0) + 1
    worstWaitMs = Math.max(worstWaitMs, enteredAt - (records.requestedAt[index] ?? 0))
    waitingSince[waiter] = records.leftAt[index] ?? 0
  }
  const waiting = waitingSince.filter((_, waiter) => window.again || perWaiter[waiter] === 0)
  return {
    perWaiter,
    jain: jainsIndex(perWaiter),
    starved: perWaiter.filter((sections) => sections === 0).length,
    worstWaitMs: waiting.reduce((worst, since) => Math.max(worst, window.to - since), worstWaitMs),
  }
}
