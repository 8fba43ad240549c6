import { machineTime } from '../../src/base/time/machine-time.js'
import { now } from './history/event.js'

const BEAT_MS = 20
// Some waits for a server are that short.
const LAG_MS = 40

/** Tells when this process has stood still, and for how long, until it is stopped. */
export function heartbeat(stoodStill: (at: number, ms: number) => void): () => void {
  let last = now()
  const beat = setInterval(() => {
    const late = now() - last - BEAT_MS
    last = now()
    if (late > LAG_MS) stoodStill(last, late)
  }, BEAT_MS)
  return () => clearInterval(beat)
}

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
