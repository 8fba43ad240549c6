import { machineTime } from '../../src/base/time/machine-time.js'

export function blockFor(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

const realNow = Date.now
let aheadMs = 0

export function stepClock(ms: number): void {
  aheadMs += ms
  Date.now = () => realNow() + aheadMs
  machineTime.wallMs = Date.now
}
