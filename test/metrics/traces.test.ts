import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import { ClosedError } from '../../src/index.js'
import { VirtualClock } from '../../src/memory/index.js'
import {
  type AcquireResult,
  type AcquireTrace,
  acquireChannel,
  traceAcquire,
} from '../../src/trace/acquire.js'
import { beginHold, endHold, type HoldTrace, holdChannel, holdTrace, runHeld } from '../../src/trace/hold.js'
import { outcomeOf } from '../../src/trace/outcome.js'
import { type ReleaseTrace, releaseChannel, traceRelease } from '../../src/trace/release.js'
import { Listener } from './told.js'

const owner = '8a0d:1' as const
const about = { name: 'invoice:42', kind: 'lock', owner }
const granted: AcquireResult = { outcome: 'granted', holdCount: 2, handedOver: true }
const unknown = {
  outcome: undefined,
  waitedMs: undefined,
  holdCount: undefined,
  handedOver: undefined,
  error: undefined,
}

function request(clock = new VirtualClock(), signal?: AbortSignal) {
  return { ...about, clock, signal }
}

describe('holdfast:acquire', () => {
  test('with nobody listening the call’s own promise is returned, and nothing is asked of it', async () => {
    expect(acquireChannel.hasSubscribers).toBe(false)
    const call = Promise.resolve('grant')
    const traced = traceAcquire(
      request(),
      () => call,
      () => expect.unreachable(),
    )
    expect(traced).toBe(call)
    expect(await traced).toBe('grant')
  })

  test('start when asked, asyncEnd when granted: one object, which knows more each time', async () => {
    using listener = new Listener<AcquireTrace>('holdfast:acquire')
    const clock = new VirtualClock()
    const call = async (): Promise<string> => {
      expect(listener.events).toEqual(['start'])
      await clock.advance(25)
      return 'grant'
    }
    expect(await traceAcquire(request(clock), call, () => granted)).toBe('grant')
    expect(listener.events).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
    expect(new Set(listener.told.map(({ trace }) => trace)).size).toBe(1)
    expect(listener.of('start')).toEqual([{ ...about, ...unknown }])
    expect(listener.of('asyncEnd')).toEqual([{ ...about, ...granted, waitedMs: 25, error: undefined }])
  })

  test('what the call gave is not shown: it is of the inner parts', async () => {
    using listener = new Listener<AcquireTrace>('holdfast:acquire')
    await traceAcquire(
      request(),
      async () => 'grant',
      () => granted,
    )
    expect(listener.of('asyncEnd')[0]).not.toHaveProperty('result')
  })

  test('running out of time is an outcome and no error', async () => {
    using listener = new Listener<AcquireTrace>('holdfast:acquire')
    const refused: AcquireResult = { outcome: 'timeout', holdCount: undefined, handedOver: undefined }
    await traceAcquire(
      request(),
      async () => 'refusal',
      () => refused,
    )
    expect(listener.events).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
    expect(listener.of('asyncEnd')).toMatchObject([{ outcome: 'timeout', error: undefined }])
  })

  test('a call that rejects is told as an error and rejects with the same', async () => {
    using listener = new Listener<AcquireTrace>('holdfast:acquire')
    const trouble = new Error('the store is gone')
    const traced = traceAcquire(request(), () => Promise.reject(trouble), expect.unreachable)
    await expect(traced).rejects.toBe(trouble)
    expect(listener.events).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd'])
    expect(listener.of('error')).toMatchObject([{ outcome: 'failed', error: trouble, waitedMs: 0 }])
  })

  test('stores that listeners bind to start are in force during the call, and not after it', async () => {
    const spans = new AsyncLocalStorage<string>()
    acquireChannel.start.bindStore(spans, () => 'span')
    try {
      const call = async (): Promise<string | undefined> => {
        await Promise.resolve()
        return spans.getStore()
      }
      expect(await traceAcquire(request(), call, () => granted)).toBe('span')
      expect(spans.getStore()).toBeUndefined()
    } finally {
      acquireChannel.start.unbindStore(spans)
    }
  })
})

describe('outcomes', () => {
  test('an abort with any reason, and a close, are cancelled; all else has failed', () => {
    for (const reason of [new Error('enough'), 'enough', Number.NaN]) {
      expect(outcomeOf(reason, AbortSignal.abort(reason))).toBe('cancelled')
      expect(outcomeOf(reason, undefined)).toBe('failed')
      expect(outcomeOf(new Error('other'), AbortSignal.abort(reason))).toBe('failed')
    }
    expect(outcomeOf(undefined, new AbortController().signal)).toBe('failed')
    expect(outcomeOf(new ClosedError(), undefined)).toBe('cancelled')
  })
})

describe('holdfast:hold', () => {
  const grant = { ...about, holdCount: 1, waitedMs: 3, handedOver: false }

  test('with nobody listening there is nothing to tell, and the body is run all the same', () => {
    expect(holdTrace(grant)).toBeUndefined()
    expect(runHeld(undefined, () => 'result')).toBe('result')
    beginHold(undefined)
    endHold(undefined, 1)
  })

  test('start when granted, asyncEnd when its release is asked for', () => {
    using listener = new Listener<HoldTrace>('holdfast:hold')
    const trace = holdTrace(grant)
    expect(listener.events).toEqual([])
    beginHold(trace)
    expect(listener.events).toEqual(['start', 'end'])
    endHold(trace, 12)
    expect(listener.events).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
    expect(listener.of('start')).toEqual([{ ...grant, heldMs: undefined, error: undefined }])
    expect(listener.of('asyncEnd')).toEqual([{ ...grant, heldMs: 12, error: undefined }])
  })

  test('a loss is told as an error, and the release that follows is not the end again', () => {
    using listener = new Listener<HoldTrace>('holdfast:hold')
    const trace = holdTrace(grant)
    beginHold(trace)
    const loss = new Error('lost')
    endHold(trace, 12, loss)
    endHold(trace, 20)
    expect(listener.events).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd'])
    expect(listener.of('asyncEnd')).toEqual([{ ...grant, heldMs: 12, error: loss }])
  })

  test('a section runs within what listeners have bound to start', async () => {
    using listener = new Listener<HoldTrace>('holdfast:hold')
    const spans = new AsyncLocalStorage<HoldTrace>()
    holdChannel.start.bindStore(spans)
    try {
      const trace = holdTrace(grant)
      const body = async (): Promise<HoldTrace | undefined> => {
        await Promise.resolve()
        return spans.getStore()
      }
      expect(await runHeld(trace, body)).toBe(trace)
      expect(listener.events).toEqual(['start', 'end'])
    } finally {
      holdChannel.start.unbindStore(spans)
    }
  })

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

describe('holdfast:release', () => {
  const asked = { ...about, hold: undefined, heldMs: 8 }

  test('with nobody listening the release’s own promise is returned', () => {
    expect(releaseChannel.hasSubscribers).toBe(false)
    const release = Promise.resolve()
    expect(
      traceRelease(
        asked,
        () => release,
        () => expect.unreachable(),
      ),
    ).toBe(release)
  })

  test('start when asked for, asyncEnd when done', async () => {
    using listener = new Listener<ReleaseTrace>('holdfast:release')
    await traceRelease(
      asked,
      async () => 0,
      (holdCount) => ({ holdCount, handedOver: true }),
    )
    expect(listener.events).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
    expect(listener.of('asyncEnd')).toEqual([{ ...asked, holdCount: 0, handedOver: true, error: undefined }])
  })

  test('one that rejects is told as an error and rejects with the same', async () => {
    using listener = new Listener<ReleaseTrace>('holdfast:release')
    const trouble = new Error('lost')
    await expect(traceRelease(asked, () => Promise.reject(trouble), expect.unreachable)).rejects.toBe(trouble)
    expect(listener.of('error')).toMatchObject([{ ...asked, error: trouble, holdCount: undefined }])
  })
})
