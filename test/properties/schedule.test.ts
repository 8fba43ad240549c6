import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Schedule, type TimerHandle } from '../../src/base/time/schedule.js'
import { CountingClock } from '../unit/counting-clock.js'
import { forAll } from './runs.js'

const inMs = fc.integer({ min: -5, max: 200 })
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('at' as const), inMs }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('move' as const), which: fc.nat(60), inMs }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(60) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(60) }) },
    fc.record({ do: fc.constant('clear' as const) }),
  ),
  { maxLength: 120 },
)

test('Schedule does what a naive one does: nothing is lost, nothing comes early, nothing comes twice', () =>
  forAll(steps, 1_000, (plan) => {
    const clock = new CountingClock()
    const schedule = new Schedule(clock, (error) => {
      throw error
    })
    /** The schedule as anybody would write it who did not care for speed: when each falls due. */
    const naive = new Map<number, number>()
    const timers: TimerHandle[] = []
    let called: number[] = []
    let order: number[] = []
    for (const step of plan) {
      if (step.do === 'at') {
        const id = timers.length
        const dueAt = clock.time + step.inMs
        naive.set(id, dueAt)
        timers.push(
          schedule.at(dueAt, () => {
            called.push(id)
            order.push(timers[id]?.dueAt ?? Number.NaN)
          }),
        )
      } else if (step.do === 'move') {
        const handle = timers[step.which]
        if (!handle) continue
        schedule.move(handle, clock.time + step.inMs)
        if (naive.has(step.which)) naive.set(step.which, clock.time + step.inMs)
      } else if (step.do === 'cancel') {
        schedule.cancel(timers[step.which])
        naive.delete(step.which)
      } else if (step.do === 'clear') {
        schedule.clear()
        naive.clear()
      } else {
        clock.time += step.ms
        clock.fire()
        const due = [...naive].filter(([, dueAt]) => dueAt <= clock.time).map(([id]) => id)
        for (const id of due) naive.delete(id)
        expect([...called].sort()).toEqual(due.sort())
        expect(order).toEqual([...order].sort((one, other) => one - other))
        called = []
        order = []
      }
      expect(schedule.size).toBe(naive.size)
      // One that is left standing with nothing due fires into the void; starting and stopping it for each call would cost more.
      expect(clock.timers.size).toBeGreaterThanOrEqual(naive.size > 0 ? 1 : 0)
      expect(clock.timers.size).toBeLessThanOrEqual(step.do === 'clear' ? 0 : 1)
      // The one timer stands no later than the first handle.
      for (const { delayMs } of clock.timers)
        expect(clock.time + delayMs).toBeLessThanOrEqual(Math.max(Math.min(...naive.values()), clock.time))
    }
  }))
