import { beforeEach, describe, expect, test } from 'vitest'
import { VirtualClock } from '../../src/memory/index.js'
import { SystemClock } from '../../src/time/clock.js'
import { Schedule } from '../../src/time/schedule.js'
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

describe('Schedule', () => {
  test('calls in the order of time, whatever the order they were made in', async () => {
    for (const dueAt of [50, 10, 30, 20, 40]) note('a', dueAt)
    await clock.advance(100)
    expect(called).toEqual(['a at 10', 'a at 20', 'a at 30', 'a at 40', 'a at 50'])
    expect(schedule.size).toBe(0)
  })

  test('one timer, however many timers; none when there are none', () => {
    for (let dueAt = 1_000; dueAt > 0; dueAt -= 10) note('a', dueAt)
    expect(clock.timers).toBe(1)
    expect(schedule.size).toBe(100)
    schedule.clear()
    expect(clock.timers).toBe(0)
    expect(schedule.size).toBe(0)
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

  test('an handle can be moved, both ways', async () => {
    const first = note('first', 10)
    const second = note('second', 20)
    schedule.move(first, 30)
    schedule.move(second, 5)
    expect(second.dueAt).toBe(5)
    await clock.advance(100)
    expect(called).toEqual(['second at 5', 'first at 30'])
  })

  test('a cancelled handle is not kept; cancelling twice, or nothing, does nothing', async () => {
    const first = note('first', 10)
    note('second', 20)
    schedule.cancel(first)
    schedule.cancel(first)
    schedule.cancel(undefined)
    await clock.advance(100)
    expect(called).toEqual(['second at 20'])
  })

  test('one that is past or cancelled cannot be moved back to life', async () => {
    const past = note('past', 10)
    const cancelled = note('cancelled', 10)
    schedule.cancel(cancelled)
    await clock.advance(10)
    schedule.move(past, 20)
    schedule.move(cancelled, 20)
    expect(schedule.size).toBe(0)
    await clock.advance(100)
    expect(called).toEqual(['past at 10'])
  })

  test('after clear() nothing is called, and new timers are kept', async () => {
    const gone = note('gone', 10)
    schedule.clear()
    schedule.move(gone, 20)
    note('new', 15)
    await clock.advance(100)
    expect(called).toEqual(['new at 15'])
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

  test('a timer that fires too early calls nothing and is set again', () => {
    const counting = new CountingClock()
    const early = new Schedule(counting, () => undefined)
    let kept = 0
    early.at(100, () => {
      kept += 1
    })
    counting.time = 99
    counting.fire()
    expect(kept).toBe(0)
    expect([...counting.timers].map(({ delayMs }) => delayMs)).toEqual([1])
    counting.time = 100
    counting.fire()
    expect(kept).toBe(1)
    expect(counting.timers.size).toBe(0)
  })

  test('a timer that fires late keeps everything that has fallen due', () => {
    const counting = new CountingClock()
    const late = new Schedule(counting, () => undefined)
    const kept: number[] = []
    for (const dueAt of [30, 10, 20]) late.at(dueAt, () => kept.push(dueAt))
    counting.time = 1_000
    counting.fire()
    expect(kept).toEqual([10, 20, 30])
  })

  test('making the first handle later does not start a timer anew', () => {
    const counting = new CountingClock()
    const calm = new Schedule(counting, () => undefined)
    const renewed = calm.at(100, () => undefined)
    for (let ms = 101; ms < 200; ms += 1) calm.move(renewed, ms)
    expect(counting.started).toBe(1)
  })
})
