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

  thread(zeroMs: number) {
    const time = new LeaseTime()
    const now = (): number => time.at(this.#monotonicMs - zeroMs, this.#wallMs)
    now()
    return { now, startTimer: () => expect.unreachable() }
  }
}

describe('a deadline that passes from one thread to another', () => {
  const machine = new Machine()
  const main = machine.thread(999_000)
  const other = machine.thread(5_000)

  test.each<[string, () => void, number]>([
    ['is the same, whatever the zero of each clock', () => undefined, 30_000],
    ['comes nearer as time passes', () => machine.pass(10_000), 20_000],
    ['L3: comes nearer while the machine sleeps', () => machine.sleep(29_000), 1_000],
    ['L3: passes while the machine sleeps', () => machine.sleep(40_000), -10_000],
    ['does not move when the wall clock is set back', () => machine.setWallClock(-3_600_000), 30_000],
    ['does not move with the small differences of two clocks', () => machine.setWallClock(40), 30_000],
  ])('%s', (_what, meanwhile, leftMs) => {
    const instant = instantOf(other.now() + 30_000, other, machine)
    meanwhile()
    expect(leaseTimeOf(instant, main, machine) - main.now()).toBeCloseTo(leftMs, 3)
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

  test('may be never', () => {
    const never = instantOf(Number.POSITIVE_INFINITY, other, machine)
    machine.sleep(1_000)
    expect(leaseTimeOf(never, main, machine)).toBe(Number.POSITIVE_INFINITY)
  })
})
