/** What no listener can see. What is told is shown by the calls of a client: holdfast-channels.test.ts. */
import { expect, test } from 'vitest'
import { ClosedError } from '../../src/index.js'
import { outcomeOf } from '../../src/observe/trace/acquire.js'
import { beginHold, endHold, type HoldTrace, holdChannel, holdTrace } from '../../src/observe/trace/hold.js'
import { Listener } from './told.js'

const about = { name: 'invoice:42', kind: 'lock', owner: '8a0d:1' } as const
const grant = { ...about, holdCount: 1, waitedMs: 3, handedOver: false }

test('an abort with any reason, and a close, are cancelled; all else has failed', () => {
  for (const reason of [new Error('enough'), 'enough', Number.NaN]) {
    expect(outcomeOf(reason, AbortSignal.abort(reason))).toBe('cancelled')
    expect(outcomeOf(reason, undefined)).toBe('failed')
    expect(outcomeOf(new Error('other'), AbortSignal.abort(reason))).toBe('failed')
  }
  expect(outcomeOf(undefined, new AbortController().signal)).toBe('failed')
  expect(outcomeOf(new ClosedError(), undefined)).toBe('cancelled')
})

test('holdfast:hold: who stops listening is told no more', () => {
  const listener = new Listener<HoldTrace>('holdfast:hold')
  const trace = holdTrace(grant)
  beginHold(trace)
  listener[Symbol.dispose]()
  endHold(trace, 1)
  expect(listener.events).toEqual(['start', 'end'])
  expect(holdChannel.hasSubscribers).toBe(false)
})
