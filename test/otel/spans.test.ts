/** The spans of a client, as an SDK exports them. */
import { type Attributes, SpanStatusCode } from '@opentelemetry/api'
import { AggregationTemporality, InMemoryMetricExporter } from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { scene } from '../../src/conformance/scene.js'
import type { Holdfast } from '../../src/index.js'
import { instrument } from '../../src/integrations/otel/index.js'
import { tidiedPlace } from '../setup/places.js'
import { Sdk } from './scene.js'

let spans: InMemorySpanExporter
let sdk: Sdk
let instrumentation: Disposable | undefined

beforeEach(() => {
  spans = new InMemorySpanExporter()
  sdk = new Sdk(spans, new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE))
})

afterEach(async () => {
  instrumentation?.[Symbol.dispose]()
  instrumentation = undefined
  await sdk[Symbol.asyncDispose]()
})

function observed(holdfast: Holdfast): Holdfast {
  instrumentation = instrument(holdfast, sdk)
  return holdfast
}

/** The only span of that name with these attributes. */
function one(name: string, wanted: Attributes = {}): ReadableSpan {
  const [span, ...others] = spans
    .getFinishedSpans()
    .filter((each) => each.name === name)
    .filter(({ attributes }) => Object.entries(wanted).every(([key, value]) => attributes[key] === value))
  if (!span || others.length > 0) throw new Error(`${others.length + (span ? 1 : 0)} spans named ${name}`)
  return span
}

/** What a span is linked to, and as what. */
function linksOf({ links }: ReadableSpan): Array<[unknown, string]> {
  return links.map(({ attributes, context }) => [attributes?.['holdfast.link'], context.spanId])
}

describe.each(['memory', 'standalone'] as const)('spans (%s)', (placeName) => {
  const place = tidiedPlace(placeName)

  test('a section has three spans under its caller’s, and is itself within that of the hold', async () => {
    const lock = observed(place.holdfast()).lock(place.lockName())
    const owner = await sdk.within('request', () =>
      lock.withLock(async (hold) => {
        await lock.isLocked()
        await sdk.within('work', async () => undefined)
        return hold.owner
      }),
    )
    const about = { 'holdfast.lock.name': lock.name, 'holdfast.lock.kind': 'lock', 'holdfast.owner': owner }
    for (const name of ['holdfast.acquire', 'holdfast.hold', 'holdfast.release']) {
      expect(one(name).parentSpanContext?.spanId).toBe(one('request').spanContext().spanId)
      expect(one(name).status.code).toBe(SpanStatusCode.UNSET)
      expect(one(name).attributes).toMatchObject(about)
    }
    const hold = one('holdfast.hold')
    expect(one('work').parentSpanContext?.spanId).toBe(hold.spanContext().spanId)
    const granted = { 'holdfast.outcome': 'granted', 'holdfast.hold.count': 1, 'holdfast.handed_over': false }
    expect(one('holdfast.acquire').attributes).toMatchObject(granted)
    expect(linksOf(one('holdfast.acquire'))).toEqual([])
    expect(linksOf(one('holdfast.release'))).toEqual([['hold', hold.spanContext().spanId]])
    expect(one('holdfast.release').attributes).toMatchObject({ 'holdfast.hold.count': 0 })
  })

  test('the span of a waiter is linked to the hold that let it in', async () => {
    const { holdfast, lock } = scene(place, observed(place.holdfast({ handOverSliceMs: 60_000 })))
    const hold = await lock.acquire()
    const next = lock.withLock(({ owner }) => owner)
    await place.eventually(() => holdfast.metrics().waiting === 1)
    await hold.release()
    const waiter = one('holdfast.acquire', { 'holdfast.owner': await next })
    const holder = one('holdfast.hold', { 'holdfast.owner': hold.owner })
    expect(waiter.attributes).toMatchObject({ 'holdfast.handed_over': true })
    expect(linksOf(waiter)).toEqual([['let_in_by', holder.spanContext().spanId]])
  })

  test('the span of a call whose time was up is linked to the holds of this client in its way', async () => {
    const { holdfast, lock } = scene(place, observed(place.holdfast()))
    // A read-write lock of that name is another lock: its holds let nobody in here.
    const other = await holdfast.readWriteLock(lock.name).writeLock().acquire()
    const hold = await lock.acquire()
    expect(await lock.tryAcquire()).toBeNull()
    await hold.release()
    await other.release()
    const refused = one('holdfast.acquire', { 'holdfast.outcome': 'timeout' })
    const holder = one('holdfast.hold', { 'holdfast.lock.kind': 'lock' })
    expect(linksOf(refused)).toEqual([['held_by', holder.spanContext().spanId]])
    expect(refused.status.code).toBe(SpanStatusCode.UNSET)
  })

  test('the span of a call whose time was up names the holder in another client, as the span of that hold does', async () => {
    const [holding, waiting] = [place.holdfast({ label: 'web-1' }), place.holdfast()]
    using _ = instrument(holding, { ...sdk, client: 'holder' })
    const lock = observed(waiting).lock(place.lockName())
    const hold = await holding.lock(lock.name).acquire()
    expect(await lock.tryAcquire()).toBeNull()
    await hold.release()
    const owner = one('holdfast.hold').attributes['holdfast.owner']
    const refused = one('holdfast.acquire', { 'holdfast.holder': owner })
    expect(refused.attributes['holdfast.outcome']).toBe('timeout')
    // A link takes the other span's ids, which no store keeps.
    expect(linksOf(refused)).toEqual([])
    const granted = one('holdfast.acquire', { 'holdfast.outcome': 'granted' })
    expect(granted.attributes).not.toHaveProperty(['holdfast.holder'])
  })

  test('L6: a loss is an error of the hold and of its release, by the code of the error', async () => {
    const lock = observed(place.holdfast()).lock(place.lockName())
    const hold = await lock.acquire({ leaseMs: place.lease(200) })
    await place.eventually(() => hold.signal.aborted)
    await expect(hold.release()).rejects.toThrow()
    for (const name of ['holdfast.hold', 'holdfast.release']) {
      expect(one(name).status.code).toBe(SpanStatusCode.ERROR)
      expect(one(name).attributes['error.type']).toBe('LOCK_LOST')
      expect(one(name).events).toMatchObject([{ name: 'exception' }])
    }
  })

  test('a call that its signal ended is cancelled, and no error; so is a hold that the client’s end cut short', async () => {
    const { holdfast, lock } = scene(place, observed(place.holdfast()))
    await lock.acquire({ leaseMs: 60_000 })
    await expect(lock.acquire({ signal: AbortSignal.abort(new Error('secret')) })).rejects.toThrow('secret')
    await holdfast.close()
    const cancelled = one('holdfast.acquire', { 'holdfast.outcome': 'cancelled' })
    expect(cancelled.status.code).toBe(SpanStatusCode.UNSET)
    expect(cancelled.events).toEqual([])
    expect(one('holdfast.hold').status.code).toBe(SpanStatusCode.UNSET)
    expect(one('holdfast.hold').attributes['error.type']).toBe('CLOSED')
  })

  test('a very long name is shortened, and stays well-formed', async () => {
    const lock = observed(place.holdfast()).lock(`${place.lockName()}${'💥'.repeat(200)}`)
    await lock.withLock(() => undefined)
    const shown = one('holdfast.hold').attributes['holdfast.lock.name']
    expect(String(shown).length).toBeLessThan(200)
    expect(String(shown).isWellFormed()).toBe(true)
  })

  test('a call of another client in this process is not told, nor one after its end', async () => {
    const lock = observed(place.holdfast()).lock(place.lockName())
    const others = place.holdfast().lock(lock.name)
    await others.withLock(() => undefined)
    instrumentation?.[Symbol.dispose]()
    await lock.withLock(() => undefined)
    expect(spans.getFinishedSpans()).toEqual([])
  })
})
