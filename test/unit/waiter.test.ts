import { beforeEach, describe, expect, test } from 'vitest'
import { TIME_IS_UP, Waiter } from '../../src/core/queue/waiter.js'
import { HoldRecord, Tenure } from '../../src/core/tenure/tenure.js'
import { VirtualClock } from '../../src/memory/index.js'
import { Schedule } from '../../src/time/schedule.js'
import { callFrom, root } from './scenery.js'

const never = new Promise<never>(() => undefined)
let clock: VirtualClock
let schedule: Schedule
let waiter: Waiter

beforeEach(() => {
  clock = new VirtualClock()
  schedule = new Schedule(clock, (error) => {
    throw error
  })
  waiter = new Waiter(callFrom(root('client:1')), schedule)
})

/** Settled with nothing left on the schedule. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  const result = await work.catch((error: unknown) => error)
  expect(schedule.size).toBe(0)
  return result
}

describe('Waiter', () => {
  test('upTo: the outcome of the work, when it comes in time', async () => {
    expect(await outcome(waiter.upTo(100, Promise.resolve('done')))).toBe('done')
    const failure = new Error('on purpose')
    expect(await outcome(waiter.upTo(100, Promise.reject(failure)))).toBe(failure)
  })

  test('W5: upTo: time is up, at the deadline and not before', async () => {
    let result: unknown
    const work = waiter.upTo(100, never).then((each) => {
      result = each
    })
    await clock.advance(99)
    expect(result).toBeUndefined()
    await clock.advance(1)
    await work
    expect(result).toBe(TIME_IS_UP)
    expect(schedule.size).toBe(0)
  })

  test('upTo: without a deadline no handle is made', () => {
    void waiter.upTo(Number.POSITIVE_INFINITY, never)
    expect(schedule.size).toBe(0)
  })

  test('upTo: work that fails after time was up is nobody’s unhandled rejection', async () => {
    let fail: (error: Error) => void = () => undefined
    const work = waiter.upTo(
      10,
      new Promise((_, reject) => {
        fail = reject
      }),
    )
    await clock.advance(10)
    expect(await outcome(work)).toBe(TIME_IS_UP)
    fail(new Error('late'))
    await clock.advance(0)
  })

  test('cancel: what it waits for rejects with the reason, whatever that is, and leaves no handle', async () => {
    const work = waiter.upTo(100, never)
    waiter.cancel('because')
    expect(await outcome(work)).toBe('because')
    expect(waiter.cancelled).toBe(true)
  })

  test('cancel: what it would wait for next rejects at once; the first reason counts', async () => {
    waiter.cancel('first')
    waiter.cancel('second')
    expect(() => waiter.throwIfCancelled()).toThrow('first')
    expect(await outcome(waiter.sleep(100))).toBe('first')
  })

  test('sleep: until the next permit', async () => {
    const slept = waiter.sleep(1_000)
    waiter.wakeUp.release()
    await slept
    expect(clock.now()).toBe(0)
    expect(schedule.size).toBe(0)
  })

  test('sleep: at most until its time; a permit after that is kept for the next', async () => {
    const slept = waiter.sleep(50)
    await clock.advance(50)
    await slept
    waiter.wakeUp.release()
    await waiter.sleep(1_000)
    expect(clock.now()).toBe(50)
  })

  describe('the lock is handed to it', () => {
    const scope = root('client:1')
    const grant = new HoldRecord(new Tenure('lock', 'client:1'), scope, undefined)

    test('it rests while it sleeps, and then until it begins something else', async () => {
      expect(waiter.resting).toBe(false)
      const slept = waiter.sleep(100)
      expect(waiter.resting).toBe(true)
      waiter.wakeUp.release()
      await slept
      expect(waiter.resting).toBe(true)
      void waiter.upTo(1_000, never).catch(() => undefined)
      expect(waiter.resting).toBe(false)
    })

    test('asleep: it gets up at once, leaves no handle, and finds the grant once', async () => {
      const slept = waiter.sleep(1_000)
      waiter.receive(grant)
      expect(waiter.resting).toBe(false)
      await slept
      expect(clock.now()).toBe(0)
      expect(schedule.size).toBe(0)
      expect(waiter.takeHandedOff()).toBe(grant)
      expect(waiter.takeHandedOff()).toBeUndefined()
    })

    test('while its watch is prepared: that counts as rest, and ends with the inheritance', async () => {
      const preparing = waiter.restUpTo(1_000, never)
      expect(waiter.resting).toBe(true)
      waiter.receive(grant)
      expect(await outcome(preparing)).toBe(TIME_IS_UP)
      expect(waiter.takeHandedOff()).toBe(grant)
    })

    test.each([
      { what: 'done', work: () => Promise.resolve('done'), result: 'done' },
      {
        what: 'failed',
        work: () => Promise.reject(new Error('on purpose')),
        result: new Error('on purpose'),
      },
    ])('when its preparation is $what it can still be handed to it', async ({ work, result }) => {
      expect(await outcome(waiter.restUpTo(1_000, work()))).toEqual(result)
      expect(waiter.resting).toBe(true)
      waiter.receive(grant)
      expect(waiter.resting).toBe(false)
      expect(waiter.takeHandedOff()).toBe(grant)
    })

    test('a promise to it is kept or taken back: inheriting ends it', () => {
      waiter.handOffPending = true
      waiter.receive(grant)
      expect(waiter.handOffPending).toBe(false)
    })

    test('W4: one that was cancelled does not rest, so that nothing is handed to it; what it got before is still there', async () => {
      const slept = waiter.sleep(1_000)
      waiter.cancel('because')
      expect(waiter.resting).toBe(false)
      expect(await outcome(slept)).toBe('because')
      waiter.receive(grant)
      expect(waiter.takeHandedOff()).toBe(grant)
    })

    test('W4: a cancellation that comes after the lock was handed to it interrupts nothing any more', async () => {
      const slept = waiter.sleep(1_000)
      waiter.receive(grant)
      waiter.cancel('too late')
      expect(await outcome(slept)).toBeUndefined()
      expect(waiter.takeHandedOff()).toBe(grant)
    })
  })
})
