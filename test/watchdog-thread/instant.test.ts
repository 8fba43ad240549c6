import { describe, expect, test } from 'vitest'
import { LeaseTime } from '../../src/base/time/clock.js'
import { instantOf, leaseTimeOf, type SharedClocks } from '../../src/stores/redis/watchdog-thread/instant.js'

/** A machine with two threads, each with a lease clock of its own. */
class Machine implements SharedClocks {
  #monotonicMs = 1_000_000
  #wallMs = 1_700_000_000_000

  pass(ms: number): void {
    this.#monotonicMs += ms
    this.#wallMs += ms
  }

  /** The monotonic clock stands still. */
  sleep(ms: number): void {
    this.#wallMs += ms
  }

  setWallClock(byMs: number): void {
    this.#wallMs += byMs
  }

  monotonicUs(): number {
    return this.#monotonicMs * 1_000
  }

  wallUs(): number {
    return this.#wallMs * 1_000
  }

  thread(zeroMs: number): { now(): number; startTimer(): never } {
    const time = new LeaseTime()
    const now = (): number => time.at(this.#monotonicMs - zeroMs, this.#wallMs)
    now()
    return {
      now,
      startTimer: () => {
        throw new Error('no timers here')
      },
    }
  }
}

describe('a deadline that passes from one thread to another', () => {
  const machine = new Machine()
  const main = machine.thread(999_000)
  const other = machine.thread(5_000)
  const leftAfter = (meanwhile: () => void): number => {
    const instant = instantOf(other.now() + 30_000, other, machine)
    meanwhile()
    return leaseTimeOf(instant, main, machine) - main.now()
  }

  test('is the same, whatever the zero of each clock', () => {
    expect(leftAfter(() => undefined)).toBeCloseTo(30_000, 3)
  })

  test('comes nearer as time passes', () => {
    expect(leftAfter(() => machine.pass(10_000))).toBeCloseTo(20_000, 3)
  })

  test('L3: comes nearer while the machine sleeps', () => {
    expect(leftAfter(() => machine.sleep(29_000))).toBeCloseTo(1_000, 3)
    expect(leftAfter(() => machine.sleep(3_600_000))).toBeLessThan(0)
  })

  test('L3: has passed when main first looks after a sleep that the other thread saw too', () => {
    const instant = instantOf(other.now() + 30_000, other, machine)
    machine.sleep(40_000)
    expect(other.now()).toBeGreaterThan(0)
    expect(leaseTimeOf(instant, main, machine)).toBeLessThan(main.now())
  })

  test('L3: counts sleep that the other thread knows of in what it tells afterwards', () => {
    const deadline = other.now() + 30_000
    machine.sleep(10_000)
    const instant = instantOf(deadline, other, machine)
    expect(leaseTimeOf(instant, main, machine) - main.now()).toBeCloseTo(20_000, 3)
  })

  test('does not move when the wall clock is set back', () => {
    expect(leftAfter(() => machine.setWallClock(-3_600_000))).toBeCloseTo(30_000, 3)
  })

  test('does not move with the small differences of two clocks', () => {
    expect(leftAfter(() => machine.setWallClock(40))).toBeCloseTo(30_000, 3)
  })

  test('may be never', () => {
    const never = instantOf(Number.POSITIVE_INFINITY, other, machine)
    machine.sleep(1_000)
    expect(leaseTimeOf(never, main, machine)).toBe(Number.POSITIVE_INFINITY)
  })
})
