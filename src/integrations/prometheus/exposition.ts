import { Counter, Gauge, Histogram, type Registry, type RegistryContentType } from 'prom-client'
import type { ObservedClient } from '../../observe/trace/listener.js'
import { counters, gauges, type Sample } from './numbers.js'

/** From half a millisecond to half an hour: locks in memory are taken in microseconds, and people wait for nightly jobs. */
const BOUNDS_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800,
]

/** Holdfast's metrics in one registry, for all clients that are shown there. */
export class Exposition {
  /** By the names that tell them apart; empty for the one that has none. */
  readonly clients = new Map<string, ObservedClient>()
  readonly wait: Histogram
  readonly hold: Histogram

  constructor(private readonly registry: Registry<RegistryContentType>) {
    const samplesOf = (read: (client: ObservedClient) => readonly Sample[]): Sample[] =>
      [...this.clients].flatMap(([name, client]) =>
        read(client).map(({ labels, value }) => ({
          labels: name === '' ? labels : { ...labels, client: name },
          value,
        })),
      )
    const registers = [registry]
    for (const { name, help, labelNames, samples } of counters)
      new Counter({
        // prom-client adds this itself where the registry writes OpenMetrics.
        name: registry.contentType.includes('openmetrics') ? name : `${name}_total`,
        help,
        labelNames: ['client', ...labelNames],
        registers,
        collect() {
          this.reset()
          for (const { labels, value } of samplesOf((client) => samples(client.metrics())))
            this.inc(labels, value)
        },
      })
    for (const { name, help, samples } of gauges)
      new Gauge({
        name,
        help,
        labelNames: ['client'],
        registers,
        collect() {
          this.reset()
          for (const { labels, value } of samplesOf((client) => samples(client.metrics())))
            this.set(labels, value)
        },
      })
    const labelNames = ['client', 'kind', 'group']
    const buckets = BOUNDS_SECONDS
    this.wait = new Histogram({
      name: 'holdfast_wait_seconds',
      help: 'From the call for a lock to its grant.',
      labelNames,
      buckets,
      registers,
    })
    this.hold = new Histogram({
      name: 'holdfast_hold_seconds',
      help: 'From the grant of a lock to its release or loss.',
      labelNames,
      buckets,
      registers,
    })
  }

  /** Whether the registry still has these metrics. */
  get registered(): boolean {
    return this.registry.getSingleMetric('holdfast_hold_seconds') === this.hold
  }
}
