/** What prom-client shows of clients. */
import { type OpenMetricsContentType, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { InvalidArgumentError } from '../../src/index.js'
import { expose } from '../../src/integrations/prometheus/index.js'
import { tidiedPlace } from '../setup/places.js'

const place = tidiedPlace('memory')

/** The samples of the metrics of that name. */
async function shown(registry: Registry, name: string): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith(name))
}

test('counters and gauges are as the client has them at each look', async () => {
  const registry = new Registry()
  const holdfast = place.holdfast()
  await holdfast.lock(place.lockName()).withLock(() => undefined)
  using _ = expose(holdfast, { registry })
  await holdfast.lock(place.lockName()).withLock(async () => {
    expect(await shown(registry, 'holdfast_held')).toEqual(['holdfast_held 1'])
    const far = await place.holdfast().lock(place.lockName()).acquire()
    expect(await holdfast.lock(far.name).tryAcquire()).toBeNull()
    await far.release()
  })
  expect(await shown(registry, 'holdfast_acquired')).toEqual(['holdfast_acquired_total 2'])
  expect(await shown(registry, 'holdfast_held')).toEqual(['holdfast_held 0'])
  expect(await shown(registry, 'holdfast_refused')).toEqual([
    'holdfast_refused_total{outcome="timeout"} 1',
    'holdfast_refused_total{outcome="cancelled"} 0',
    'holdfast_refused_total{outcome="failed"} 0',
  ])
  // Times from the beginning of the exposition on.
  for (const name of ['holdfast_wait_seconds_count', 'holdfast_hold_seconds_count'])
    expect(await shown(registry, name)).toEqual([`${name}{kind="lock"} 1`])
})

test('several clients are told apart by their names, which must differ', async () => {
  const registry = new Registry()
  const [orders, stock] = [place.holdfast(), place.holdfast()]
  const first = expose(orders, { registry, client: 'orders' })
  using _ = expose(stock, { registry, client: 'stock' })
  expect(() => expose(place.holdfast(), { registry, client: 'orders' })).toThrow(
    'client "orders" is the name of another client in this registry; accepted: a name of its own',
  )
  await orders.lock(place.lockName()).withLock(() => undefined)
  expect(await shown(registry, 'holdfast_released')).toEqual([
    'holdfast_released_total{client="orders"} 1',
    'holdfast_released_total{client="stock"} 0',
  ])
  first[Symbol.dispose]()
  expect(await shown(registry, 'holdfast_released')).toEqual(['holdfast_released_total{client="stock"} 0'])
})

test('a registry that was cleared can be used again', async () => {
  const registry = new Registry()
  using _ = expose(place.holdfast(), { registry })
  registry.clear()
  expect(await shown(registry, 'holdfast')).toEqual([])
  using _again = expose(place.holdfast(), { registry })
  expect(await shown(registry, 'holdfast_waiting')).toEqual(['holdfast_waiting 0'])
})

test('in OpenMetrics a counter has its suffix once', async () => {
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
  using _ = expose(place.holdfast(), { registry })
  expect((await registry.metrics()).split('\n')).toContain('holdfast_acquired_total 0')
})

const wrong = [{ groups: true }, { groupOf: 'group' }, { registry: {} }, { registry: null }]
test.each(wrong)('an option that is none is refused: %o', (options) => {
  expect(() => expose(place.holdfast(), Object(options))).toThrow(InvalidArgumentError)
  expect(() => expose(Object(options))).toThrow(/^client is/)
})
