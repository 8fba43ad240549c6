import { machineTime } from '../../src/base/time/machine-time.js'

/** Keeps the event loop from running. */
export function blockFor(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

const realNow = Date.now
let aheadMs = 0

/** Sets the wall clock of this process ahead, or back. */
export function stepClock(ms: number): void {
  aheadMs += ms
  Date.now = () => realNow() + aheadMs
  machineTime.wallMs = Date.now
}
