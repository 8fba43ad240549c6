import process from 'node:process'
import { InvalidArgumentError } from '../../../base/errors/errors.js'
import type { Clock } from '../../../base/time/clock.js'
import { machineTime } from '../../../base/time/machine-time.js'

/** How far the wall clock may run ahead of the monotonic one before it counts as time that really passed. */
const WALL_TOLERANCE_US = 50_000

/**
 * A point in time that every thread of the process understands. The lease clock has a different zero in each thread, so threads
 * exchange times of the two clocks that they share: the monotonic one, which may stand still while the machine sleeps, and the wall
 * clock, which anybody may set.
 */
export interface Instant {
  readonly monotonicUs: number
  readonly wallUs: number
}

/** The clocks that all threads of a process share. */
export interface SharedClocks {
  monotonicUs(): number
  wallUs(): number
}

export const processClocks: SharedClocks = {
  monotonicUs: () => machineTime.sharedUs(),
  wallUs: () => machineTime.wallMs() * 1_000,
}

/**
 * A time of this thread's lease clock, for another thread. It reads the shared clocks first: time that passes between the readings makes
 * the instant earlier, never later (rule L3).
 */
export function instantOf(leaseTimeMs: number, clock: Clock, shared = processClocks): Instant {
  const monotonicUs = shared.monotonicUs()
  const wallUs = shared.wallUs()
  const leftUs = (leaseTimeMs - clock.now()) * 1_000
  return { monotonicUs: monotonicUs + leftUs, wallUs: wallUs + leftUs }
}

/**
 * The instant on this thread's lease clock. If the wall clock has run ahead since then, the machine may have slept: then the wall clock
 * decides the time left, as on the lease clock itself.
 */
export function leaseTimeOf(instant: Instant, clock: Clock, shared = processClocks): number {
  const now = clock.now()
  const leftUs = instant.monotonicUs - shared.monotonicUs()
  const leftByWallUs = instant.wallUs - shared.wallUs()
  return now + (leftUs - leftByWallUs > WALL_TOLERANCE_US ? leftByWallUs : leftUs) / 1_000
}

/** The threads exchange times of a clock that they have in common, which only Node's have. */
export function refuseOwnClocks(): void {
  const runtime = ['bun', 'deno'].find((name) => name in process.versions)
  if (runtime === undefined) return
  throw new InvalidArgumentError(
    'watchdogThread',
    true,
    `false in ${runtime}, whose threads have no monotonic clock in common, so that neither could tell the other when a lease ends. ` +
      'Use Node, or a watchdogMs above three times the longest that your program blocks its event loop',
  )
}
