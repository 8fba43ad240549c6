import type { Polls } from '../../ports/lock-port.js'

export interface BackOffTerms {
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  readonly factor: number
}

/**
 * Pauses that grow with each attempt in vain, up to a longest: a lock that is soon free is had soon, one that is not costs few
 * commands. Each is drawn from the upper half of its range, so that clients that began together do not go on together.
 */
export class BackOff implements Polls {
  constructor(private readonly terms: BackOffTerms) {}

  pauseMs(attempts: number, random: number): number {
    const { firstPauseMs, longestPauseMs, factor } = this.terms
    const pause = Math.min(firstPauseMs * factor ** Math.max(attempts - 1, 0), longestPauseMs)
    return pause / 2 + (pause / 2) * random
  }
}
