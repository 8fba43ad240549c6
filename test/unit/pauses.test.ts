import { expect, test } from 'vitest'
import { Pauses } from '../../src/core/pauses.js'
import { Schedule } from '../../src/core/schedule.js'
import { VirtualClock } from '../../src/memory/index.js'

test('pauses end in their time or all at once, and nothing is left of them', async () => {
  const clock = new VirtualClock()
  const schedule = new Schedule(clock, (error) => expect.unreachable(String(error)))
  const pauses = new Pauses(schedule)
  const ended: number[] = []
  const all = [100, 200, 300].map((time) => pauses.until(time).then(() => ended.push(time)))
  await clock.advance(150)
  expect(ended).toEqual([100])
  pauses.cutShort()
  await Promise.all(all)
  expect(ended).toEqual([100, 200, 300])
  expect(clock.now()).toBe(150)
  expect({ pauses: pauses.size, appointments: schedule.size }).toEqual({ pauses: 0, appointments: 0 })
})
