/**
 * Pauses that grow with each attempt in vain, up to a longest: a lock that is soon free is had soon, one that is not costs few
 * commands. Each is drawn from the upper half of its range, so that clients that began together do not go on together.
 */
export class BackOff {
  constructor(
    private readonly terms: Readonly<Record<'firstPauseMs' | 'longestPauseMs' | 'factor', number>>,
  ) {}

  pauseMs(attempts: number, random: number): number {
    const { firstPauseMs, longestPauseMs, factor } = this.terms
    const pause = Math.min(firstPauseMs * factor ** Math.max(attempts - 1, 0), longestPauseMs)
    return pause / 2 + (pause / 2) * random
  }
}

const RETRIES = new BackOff({ firstPauseMs: 20, longestPauseMs: 500, factor: 2 })

/** How long to pause before a command is sent again, after `failures` in a row. */
export function retryPauseMs(failures: number, random: number = Math.random()): number {
  return RETRIES.pauseMs(failures, random)
}
