import { BackOff } from '../../base/time/back-off.js'
import type { Polls } from '../../port/lock-port.js'

const PAUSES = new BackOff({ firstPauseMs: 10, longestPauseMs: 200, factor: 1.25 })

/**
 * How a client waits for a store without push: it asks again after about a quarter of the time that it has waited so far. So a lock that was
 * held for 20 ms is not left unused for 100, and one that is held for long costs few commands.
 */
export const POLLS: Polls = {
  pauseMs: (attempts, random) => PAUSES.pauseMs(attempts, random),
  asideMs: (random) => 50 + 50 * random,
}
