import { Counter, Gauge, Histogram, type Registry, type RegistryContentType } from 'prom-client'
import { BOUNDS_SECONDS } from '../../observe/metrics/histogram.js'
import type { ObservedClient } from '../../observe/trace/listener.js'
import { counters, gauges, type Numbers } from './numbers.js'

/** Holdfast's metrics in one registry, for all clients that are shown there. */
export class Exposition {
  /** By the names that tell them apart; empty for the one that has none. */
  readonly clients = new Map<string, ObservedClient>()
  readonly wait: Histogram
  readonly hold: Histogram

  constructor(private readonly registry: Registry<RegistryContentType>) {
    const { clients } = this
    const registers = [registry]
    const configured = ({ help, labelNames, samples }: Numbers) => ({
      help,
      labelNames: ['client', ...labelNames],
      registers,
      collect(this: Counter | Gauge) {
        this.reset()
        for (const [client, observed] of clients)
          for (const { labels, value } of samples(observed.metrics()))
            this.inc(client === '' ? labels : { ...labels, client }, value)
      },
    })
    // prom-client adds this itself where the registry writes OpenMetrics.
    const ending = registry.contentType.includes('openmetrics') ? '' : '_total'
    for (const numbers of counters) new Counter({ name: numbers.name + ending, ...configured(numbers) })
    for (const numbers of gauges) new Gauge({ name: numbers.name, ...configured(numbers) })
    const histogram = (name: string, help: string): Histogram =>
      new Histogram({
        name,
        help,
        labelNames: ['client', 'kind', 'group'],
        buckets: [...BOUNDS_SECONDS],
        registers,
      })
    this.wait = histogram('holdfast_wait_seconds', 'From the call for a lock to its grant.')
    this.hold = histogram('holdfast_hold_seconds', 'From the grant of a lock to its release or loss.')
  }

  /** Whether the registry still has these metrics. */
  get registered(): boolean {
    return this.registry.getSingleMetric('holdfast_hold_seconds') === this.hold
  }
}
