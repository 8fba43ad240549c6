import { BackOff } from '../../base/time/back-off.js'
import type { Polls } from '../../port/lock-port.js'

const PAUSES = new BackOff({ firstPauseMs: 10, longestPauseMs: 200, factor: 1.25 })

/**
 * How a client waits for a store without push: it asks again after about a quarter of the time that it has waited so far. So a lock does not
 * lie unused for 100 ms after a hold of 20, and a long hold costs few commands.
 */
export const POLLS: Polls = {
  pauseMs: (attempts, random) => PAUSES.pauseMs(attempts, random),
  asideMs: (random) => 50 + 50 * random,
}
