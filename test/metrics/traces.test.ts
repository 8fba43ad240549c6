/** What no listener can see. What is told is shown by the calls of a client: holdfast-channels.test.ts. */
import { describe, expect, test } from 'vitest'
import { ClosedError } from '../../src/index.js'
import { type AcquireTrace, acquireChannel, traceAcquire } from '../../src/observe/trace/acquire.js'
import {
  beginHold,
  endHold,
  type HoldTrace,
  holdChannel,
  holdTrace,
  runHeld,
} from '../../src/observe/trace/hold.js'
import { outcomeOf } from '../../src/observe/trace/outcome.js'
import { releaseChannel, traceRelease } from '../../src/observe/trace/release.js'
import { VirtualClock } from '../../src/stores/memory/index.js'
import { Listener } from './told.js'

const about = { name: 'invoice:42', kind: 'lock', owner: '8a0d:1' } as const
const grant = { ...about, holdCount: 1, waitedMs: 3, handedOver: false }
const request = { ...about, clock: new VirtualClock(), signal: undefined }

const never = () => expect.unreachable()

describe('with nobody listening', () => {
  test('a call’s and a release’s own promise is returned, and nothing is asked of it', () => {
    expect([acquireChannel.hasSubscribers, releaseChannel.hasSubscribers]).toEqual([false, false])
    const call = Promise.resolve('grant')
    expect(traceAcquire(request, () => call, never)).toBe(call)
    const release = Promise.resolve()
    const asked = { ...about, hold: undefined, heldMs: 8 }
    expect(traceRelease(asked, () => release, never)).toBe(release)
  })

  test('there is no hold to tell of, and the body is run all the same', () => {
    expect(holdTrace(grant)).toBeUndefined()
    expect(runHeld(undefined, () => 'result')).toBe('result')
    beginHold(undefined)
    endHold(undefined, 1)
  })
})

test('what an acquire gave is not shown: it is of the inner parts', async () => {
  using listener = new Listener<AcquireTrace>('holdfast:acquire')
  const granted = () => ({ outcome: 'granted', holdCount: 2, handedOver: true }) as const
  await traceAcquire(request, async () => 'grant', granted)
  expect(listener.of('asyncEnd')[0]).not.toHaveProperty('result')
})

test('an abort with any reason, and a close, are cancelled; all else has failed', () => {
  for (const reason of [new Error('enough'), 'enough', Number.NaN]) {
    expect(outcomeOf(reason, AbortSignal.abort(reason))).toBe('cancelled')
    expect(outcomeOf(reason, undefined)).toBe('failed')
    expect(outcomeOf(new Error('other'), AbortSignal.abort(reason))).toBe('failed')
  }
  expect(outcomeOf(undefined, new AbortController().signal)).toBe('failed')
  expect(outcomeOf(new ClosedError(), undefined)).toBe('cancelled')
})

describe('holdfast:hold', () => {
  test('a section runs within what a listener of start has set', () => {
    using listener = new Listener<HoldTrace>('holdfast:hold')
    const trace = holdTrace(grant)
    if (!trace) throw new Error('somebody listens')
    trace.within = (body) => {
      expect(listener.events).toEqual(['start'])
      return body()
    }
    expect(runHeld(trace, () => 'result')).toBe('result')
    expect(listener.events).toEqual(['start', 'end'])
    expect.assertions(3)
  })

  test('who stops listening is told no more', () => {
    const listener = new Listener<HoldTrace>('holdfast:hold')
    const trace = holdTrace(grant)
    beginHold(trace)
    listener[Symbol.dispose]()
    endHold(trace, 1)
    expect(listener.events).toEqual(['start', 'end'])
    expect(holdChannel.hasSubscribers).toBe(false)
  })
})
