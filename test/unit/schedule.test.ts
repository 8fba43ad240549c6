import { beforeEach, describe, expect, test } from 'vitest'
import { SystemClock } from '../../src/base/time/clock.js'
import { Schedule } from '../../src/base/time/schedule.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { CountingClock } from './counting-clock.js'

let clock: VirtualClock
let schedule: Schedule
let errors: unknown[]
let called: string[]

beforeEach(() => {
  clock = new VirtualClock()
  errors = []
  called = []
  schedule = new Schedule(clock, (error) => errors.push(error))
})

/** An handle that notes its name and the time it was kept. */
function note(name: string, dueAt: number) {
  return schedule.at(dueAt, () => called.push(`${name} at ${clock.now()}`))
}

/** That nothing is lost, early or twice, whatever is moved and cancelled: test/properties/schedule.test.ts. */
describe('Schedule', () => {
  test('what stands in another schedule is refused: to move it here would end in no place or in two', () => {
    const other = new Schedule(clock, (error) => errors.push(error))
    const [theirs] = [other.at(10, () => called.push('theirs')), note('ours', 20)]
    expect(() => schedule.move(theirs, 5)).toThrow(RangeError)
    expect(() => schedule.cancel(theirs)).toThrow(RangeError)
    expect([schedule.size, other.size]).toEqual([1, 1])
  })

  test('what is never due costs no timer', () => {
    const never = note('never', Number.POSITIVE_INFINITY)
    expect(clock.timers).toBe(0)
    schedule.cancel(never)
    expect(schedule.size).toBe(0)
  })

  test('faults A1: what is no time is refused, and keeps nothing from the others', async () => {
    note('first', 10)
    const moved = note('moved', 30)
    expect(() => note('none', Number.NaN)).toThrow(RangeError)
    expect(() => schedule.move(moved, Number.NaN)).toThrow(RangeError)
    expect(() => clock.startTimer(() => undefined, Number.NaN)).toThrow(RangeError)
    expect(() => new SystemClock().startTimer(() => undefined, Number.NaN)).toThrow(RangeError)
    note('second', 20)
    await clock.advance(100)
    expect(called).toEqual(['first at 10', 'second at 20', 'moved at 30'])
    expect([schedule.size, clock.timers]).toEqual([0, 0])
  })

  test('what is due already is called soon, never within the call that made it', async () => {
    note('late', -5)
    expect(called).toEqual([])
    await clock.advance(0)
    expect(called).toEqual(['late at 0'])
  })

  test('a callback that throws is reported and keeps nothing from the others', async () => {
    const failure = new Error('on purpose')
    schedule.at(10, () => {
      throw failure
    })
    note('same time', 10)
    note('later', 20)
    await clock.advance(100)
    expect(errors).toEqual([failure])
    expect(called).toEqual(['same time at 10', 'later at 20'])
  })

  test('callbacks may make, move and cancel timers', async () => {
    const moved = note('moved', 40)
    const cancelled = note('cancelled', 30)
    schedule.at(10, () => {
      note('made, due now', 10)
      note('made', 15)
      schedule.move(moved, 12)
      schedule.cancel(cancelled)
    })
    await clock.advance(100)
    expect(called).toEqual(['made, due now at 10', 'moved at 12', 'made at 15'])
    expect(clock.timers).toBe(0)
  })

  test('a callback may clear everything, those due at the same time included', async () => {
    schedule.at(10, () => schedule.clear())
    note('same time', 10)
    note('later', 20)
    await clock.advance(100)
    expect(called).toEqual([])
  })

  test('making the first handle later does not start a timer anew', () => {
    const counting = new CountingClock()
    const calm = new Schedule(counting, () => undefined)
    const renewed = calm.at(100, () => undefined)
    for (let ms = 101; ms < 200; ms += 1) calm.move(renewed, ms)
    expect(counting.started).toBe(1)
  })
})
