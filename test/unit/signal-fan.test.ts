import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { SignalFan } from '../../src/core/acquire/signal-fan.js'

test('the outer signal ends all calls with its reason, and is listened to once', () => {
  const outer = new AbortController()
  const fan = new SignalFan(outer.signal)
  const signals = [fan.next(), fan.next(), fan.next()]
  expect(getEventListeners(outer.signal, 'abort')).toHaveLength(1)
  const reason = new Error('on purpose')
  outer.abort(reason)
  for (const signal of signals) expect(signal.reason).toBe(reason)
})

test('a call that begins after that has ended already', () => {
  const outer = new AbortController()
  outer.abort('over')
  expect(new SignalFan(outer.signal).next()).toMatchObject({ aborted: true, reason: 'over' })
})

test('the calls can be ended without the outer signal', () => {
  const outer = new AbortController()
  const fan = new SignalFan(outer.signal)
  const [first, second] = [fan.next(), fan.next()]
  fan.abort()
  expect([first.aborted, second.aborted, outer.signal.aborted]).toEqual([true, true, false])
})

test('W4: closed it listens to nothing, and what was is left alone', () => {
  const outer = new AbortController()
  const fan = new SignalFan(outer.signal)
  const signal = fan.next()
  fan.close()
  expect(getEventListeners(outer.signal, 'abort')).toHaveLength(0)
  outer.abort()
  expect(signal.aborted).toBe(false)
})

test('without an outer signal each call still has one', () => {
  const fan = new SignalFan(undefined)
  const signal = fan.next()
  expect(signal.aborted).toBe(false)
  fan.abort('over')
  expect(signal.reason).toBe('over')
})
