import { Counter, Gauge, Histogram, type Registry, type RegistryContentType } from 'prom-client'
import { BOUNDS_SECONDS } from '../../observe/metrics/histogram.js'
import { type ShownNumber, shown } from '../../observe/metrics/shown-numbers.js'
import type { ObservedClient } from '../../observe/trace/listener.js'

/** A metric that shows a client's number; with the label of its parts, if it has parts. */
type Shown = readonly [name: string, number: ShownNumber, label?: string]

const COUNTERS: readonly Shown[] = [
  ['holdfast_acquired', shown.acquired],
  ['holdfast_contended', shown.contended],
  ['holdfast_refused', shown.refused, 'outcome'],
  ['holdfast_released', shown.released],
  ['holdfast_lost', shown.lost, 'reason'],
  ['holdfast_hand_overs', shown.handOvers, 'by'],
  ['holdfast_lingered', shown.lingered],
  ['holdfast_renewals', shown.renewals],
  ['holdfast_renewal_failures', shown.renewalFailures],
]

const GAUGES: readonly Shown[] = [
  ['holdfast_waiting', shown.waiting],
  ['holdfast_held', shown.held],
]

/** Holdfast's metrics in one registry, for all clients that are shown there. */
export class Exposition {
  /** By the names that tell them apart; empty for the one that has none. */
  readonly clients = new Map<string, ObservedClient>()
  readonly wait: Histogram
  readonly hold: Histogram

  constructor(private readonly registry: Registry<RegistryContentType>) {
    const { clients } = this
    const registers = [registry]
    const configured = ([, { text, counts }, label]: Shown) => ({
      help: text,
      labelNames: label === undefined ? ['client'] : ['client', label],
      registers,
      collect(this: Counter | Gauge) {
        this.reset()
        for (const [client, observed] of clients)
          for (const [count, part] of counts(observed.metrics()))
            this.inc({ ...(client !== '' && { client }), ...(label && part && { [label]: part }) }, count)
      },
    })
    // prom-client adds this itself where the registry writes OpenMetrics.
    const ending = registry.contentType.includes('openmetrics') ? '' : '_total'
    for (const each of COUNTERS) new Counter({ name: each[0] + ending, ...configured(each) })
    for (const each of GAUGES) new Gauge({ name: each[0], ...configured(each) })
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
