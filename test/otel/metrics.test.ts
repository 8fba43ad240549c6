/** The metrics of clients, as an SDK collects them. */
import { AggregationTemporality, InMemoryMetricExporter } from '@opentelemetry/sdk-metrics'
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { InvalidArgumentError } from '../../src/index.js'
import { instrument } from '../../src/integrations/otel/index.js'
import { tidiedPlace } from '../setup/places.js'
import { Sdk } from './scene.js'

const place = tidiedPlace('memory')
let exporter: InMemoryMetricExporter
let sdk: Sdk

beforeEach(() => {
  exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  sdk = new Sdk(new InMemorySpanExporter(), exporter)
})

afterEach(() => sdk[Symbol.asyncDispose]())

/** What was collected last of that name: the attributes of each series, with its value or its count. */
async function collected(name: string): Promise<unknown> {
  await sdk.flush()
  const metrics = (exporter.getMetrics().at(-1)?.scopeMetrics ?? []).flatMap((scope) => scope.metrics)
  const { dataPoints } = metrics.find(({ descriptor }) => descriptor.name === name) ?? { dataPoints: [] }
  return dataPoints.map(({ attributes, value }) => ({
    ...attributes,
    value: typeof value === 'number' ? value : value.count,
  }))
}

test('durations are by kind and outcome and not by name, counters as the client has them', async () => {
  const holdfast = place.holdfast()
  using _ = instrument(holdfast, sdk)
  const lock = holdfast.lock(place.lockName())
  await lock.withLock(async () => expect(await collected('holdfast.hold.active')).toEqual([{ value: 1 }]))
  await holdfast.lock(place.lockName()).withLock(() => undefined)
  const far = await place.holdfast().lock(lock.name).acquire()
  expect(await lock.tryAcquire()).toBeNull()
  await far.release()
  expect(await collected('holdfast.acquire.duration')).toEqual([
    { 'holdfast.lock.kind': 'lock', 'holdfast.outcome': 'granted', value: 2 },
    { 'holdfast.lock.kind': 'lock', 'holdfast.outcome': 'timeout', value: 1 },
  ])
  expect(await collected('holdfast.hold.duration')).toEqual([{ 'holdfast.lock.kind': 'lock', value: 2 }])
  expect(await collected('holdfast.hold.released')).toEqual([{ value: 2 }])
  expect(await collected('holdfast.hold.active')).toEqual([{ value: 0 }])
  expect(await collected('holdfast.lock.lost')).toEqual(
    Object.keys(holdfast.metrics().lost).map((reason) => ({ 'holdfast.loss.reason': reason, value: 0 })),
  )
})

test('several clients are told apart by their names, which must differ', async () => {
  const [orders, stock] = [place.holdfast(), place.holdfast()]
  using _orders = instrument(orders, { ...sdk, client: 'orders' })
  const first = instrument(stock, { ...sdk, client: 'stock' })
  expect(() => instrument(place.holdfast(), { ...sdk, client: 'stock' })).toThrow(
    'client "stock" is the name of another instrumented client; accepted: a name of its own',
  )
  await orders.lock(place.lockName()).withLock(() => undefined)
  expect(await collected('holdfast.hold.released')).toEqual([
    { 'holdfast.client': 'orders', value: 1 },
    { 'holdfast.client': 'stock', value: 0 },
  ])
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  using _again = instrument(stock, { ...sdk, client: 'stock' })
})

test.each([
  ['throws', () => JSON.parse('{')],
  ['returns no text', () => JSON.parse('7')],
  ['knows none', () => undefined],
])('a group function that %s breaks no lock: the lock has no group', async (_what, groupOf) => {
  const holdfast = place.holdfast()
  using _ = instrument(holdfast, { ...sdk, groupOf })
  expect(await holdfast.lock(place.lockName()).withLock(() => 'done')).toBe('done')
  expect(await collected('holdfast.hold.duration')).toEqual([{ 'holdfast.lock.kind': 'lock', value: 1 }])
})

const wrong = [{ groups: true }, { groupOf: 'group' }, { tracerProvider: {} }, { meterProvider: null }]
test.each(wrong)('an option that is none is refused: %o', (options) => {
  expect(() => instrument(place.holdfast(), Object(options))).toThrow(InvalidArgumentError)
  expect(() => instrument(Object(options))).toThrow(/^client is/)
})
