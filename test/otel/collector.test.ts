/** What a real OpenTelemetry Collector gets of a client, over OTLP. */
import process from 'node:process'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { describe, expect, test } from 'vitest'
import { instrument } from '../../src/integrations/otel/index.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { tidiedPlace } from '../setup/places.js'
import { type Attributes, Collector, type ExportedSpan } from './collector.js'
import { Sdk } from './scene.js'

const refusal = await Collector.refusal()
if (refusal !== undefined && process.env['CI']) throw new Error(`no collector is to be had: ${refusal}`)

/** What a terminal, a page, a query or an encoding could stumble over. */
const HOSTILE = 'a"b\\c\n</script>\u0000\u001b[31m\u202e{x="1"}💥'

describe.skipIf(refusal !== undefined)(`a collector${refusal ? `: ${refusal}` : ''}`, () => {
  const place = tidiedPlace('standalone')
  const collector = duringAll(() => Collector.start(), 1_800_000)

  test('gets spans with their links, and metrics by kind and group, whatever the locks are called', async () => {
    await using sdk = new Sdk(
      new OTLPTraceExporter({ url: `${collector.url}/v1/traces` }),
      new OTLPMetricExporter({ url: `${collector.url}/v1/metrics` }),
    )
    const holdfast = place.holdfast({ handOverSliceMs: 60_000 })
    using _ = instrument(holdfast, {
      client: 'orders',
      groupOf: (name) => (name.includes('grouped') ? name : undefined),
      tracerProvider: sdk.tracerProvider,
      meterProvider: sdk.meterProvider,
    })
    const name = `${place.lockName()}:grouped:${HOSTILE}`
    const lock = holdfast.lock(name)
    const hold = await lock.acquire()
    const next = lock.withLock(() => undefined)
    await place.eventually(() => holdfast.metrics().waiting === 1)
    await hold.release()
    await next
    await sdk.flush()

    await eventually(() => collector.spans.length === 6 && collector.metrics.length > 0)
    const named = (wanted: string): ExportedSpan[] =>
      collector.spans.filter((span) => span.name === `holdfast.${wanted}`)
    const names = named('acquire').map(({ attributes }) => textOf(attributes, 'holdfast.lock.name'))
    expect(names).toEqual([name, name])
    const links = named('acquire').flatMap((span) => span.links ?? [])
    const holds = named('hold').map(({ spanId }) => spanId)
    expect(links).toHaveLength(1)
    expect(holds).toContain(links[0]?.spanId)
    expect(textOf(links[0]?.attributes, 'holdfast.link')).toBe('let_in_by')

    const metric = (wanted: string) => collector.metrics.find((each) => each.name === `holdfast.${wanted}`)
    const durations = metric('acquire.duration')
    expect(durations?.unit).toBe('s')
    expect(durations?.histogram?.dataPoints.map(({ count }) => count)).toEqual(['2'])
    const attributes = durations?.histogram?.dataPoints[0]?.attributes
    expect(textOf(attributes, 'holdfast.lock.group')).toBe(name)
    expect(textOf(attributes, 'holdfast.outcome')).toBe('granted')
    expect(textOf(attributes, 'holdfast.client')).toBe('orders')
    expect(metric('hold.released')?.sum).toMatchObject({ isMonotonic: true, dataPoints: [{ asInt: '2' }] })
    const handedOver = metric('lock.handed_over')?.sum?.dataPoints.find(
      (point) => textOf(point.attributes, 'holdfast.hand_over.by') === 'memory',
    )
    expect(handedOver?.asInt).toBe('1')
  })
})

function textOf(attributes: Attributes | undefined, key: string): string | undefined {
  return attributes?.find((each) => each.key === key)?.value.stringValue
}
