import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../src/stores/memory/index.js'

describe('VirtualClock', () => {
  test('timers fire in order, each at its own time', async () => {
    const clock = new VirtualClock()
    const fired: number[] = []
    for (const delayMs of [30, 10, 20, -5]) clock.startTimer(() => fired.push(clock.now()), delayMs)
    await clock.advance(25)
    expect(fired).toEqual([0, 10, 20])
    expect(clock.timers).toBe(1)
    await clock.advance(5)
    expect(fired).toEqual([0, 10, 20, 30])
  })

  test('a timer that is started by what another set off fires in the same stretch', async () => {
    const clock = new VirtualClock()
    const fired: number[] = []
    clock.startTimer(() => {
      void Promise.resolve().then(() => clock.startTimer(() => fired.push(clock.now()), 5))
    }, 10)
    await clock.advance(20)
    expect(fired).toEqual([15])
    expect(clock.now()).toBe(20)
  })

  test('a cancelled timer does not fire, not even when cancelled by one due at the same time', async () => {
    const clock = new VirtualClock()
    const fired: string[] = []
    clock.startTimer(() => {
      fired.push('first')
      second.cancel()
    }, 10)
    const second = clock.startTimer(() => fired.push('second'), 10)
    clock.startTimer(() => fired.push('third'), 5).cancel()
    await clock.advance(100)
    expect(fired).toEqual(['first'])
    expect(clock.timers).toBe(0)
  })

  test('skip: time passes and nothing runs, as when the event loop is blocked', async () => {
    const clock = new VirtualClock()
    const fired: number[] = []
    clock.startTimer(() => fired.push(clock.now()), 10)
    clock.skip(50)
    await new Promise((resolve) => setImmediate(resolve))
    expect(fired).toEqual([])
    await clock.advance(0)
    expect(fired).toEqual([50])
  })
})
