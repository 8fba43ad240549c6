import type { Attributes, BatchObservableCallback, Meter, Observable } from '@opentelemetry/api'
import * as api from '@opentelemetry/api'
import { BOUNDS_SECONDS } from '../../observe/metrics/histogram.js'
import { type ShownNumber, shown } from '../../observe/metrics/shown-numbers.js'
import type { AcquireTrace } from '../../observe/trace/acquire.js'
import type { HoldTrace } from '../../observe/trace/hold.js'
import type { ObservedClient } from '../../observe/trace/listener.js'
import { type GroupOf, shownGroup } from '../../observe/trace/shown-name.js'
import { attribute, errorTypeOf } from './attributes.js'

/** The metrics of one client: durations as they happen, and its counters when they are collected. */
export class Instruments {
  readonly #acquireDuration
  readonly #holdDuration
  readonly #own: Attributes
  readonly #observe: BatchObservableCallback
  readonly #observed: Observable[]

  /** @param clientName empty if it has none */
  constructor(
    private readonly meter: Meter,
    client: ObservedClient,
    clientName: string,
    private readonly groupOf: GroupOf | undefined,
  ) {
    this.#own = clientName === '' ? {} : { [attribute.client]: clientName }
    const duration = (name: string, description: string) =>
      meter.createHistogram(name, {
        description,
        unit: 's',
        advice: { explicitBucketBoundaries: [...BOUNDS_SECONDS] },
      })
    this.#acquireDuration = duration(
      'holdfast.acquire.duration',
      'From the call for a lock until it was granted or refused.',
    )
    this.#holdDuration = duration(
      'holdfast.hold.duration',
      'From the grant of a lock to its release or loss.',
    )

    const terms = (unit: string, { text }: ShownNumber) => {
      return { description: text, unit, valueType: api.ValueType.INT }
    }
    const counter = (name: string, unit: string, number: ShownNumber, part?: string) => {
      return { instrument: meter.createObservableCounter(name, terms(unit, number)), number, part }
    }
    const current = (name: string, unit: string, number: ShownNumber) => {
      const instrument = meter.createObservableUpDownCounter(name, terms(unit, number))
      return { instrument, number, part: undefined }
    }
    const numbers = [
      counter('holdfast.acquire.contended', '{call}', shown.contended),
      counter('holdfast.hold.released', '{hold}', shown.released),
      counter('holdfast.lock.lost', '{lock}', shown.lost, attribute.lossReason),
      counter('holdfast.lock.handed_over', '{lock}', shown.handOvers, attribute.handOverBy),
      counter('holdfast.lock.lingered', '{lock}', shown.lingered),
      counter('holdfast.lease.renewed', '{lease}', shown.renewals),
      counter('holdfast.lease.renewal_failed', '{lease}', shown.renewalFailures),
      current('holdfast.acquire.waiting', '{call}', shown.waiting),
      current('holdfast.hold.active', '{hold}', shown.held),
    ]
    this.#observed = numbers.map(({ instrument }) => instrument)
    this.#observe = (result) => {
      const now = client.metrics()
      for (const { instrument, number, part } of numbers)
        for (const [count, of] of number.counts(now))
          result.observe(instrument, count, { ...this.#own, ...(part && of && { [part]: of }) })
    }
    meter.addBatchObservableCallback(this.#observe, this.#observed)
  }

  acquireEnded({ name, kind, outcome, waitedMs = 0, error }: AcquireTrace): void {
    const failure = outcome === 'failed' ? { [attribute.errorType]: errorTypeOf(error) } : {}
    const attributes = { ...this.#attributesOf(name, kind), [attribute.outcome]: outcome, ...failure }
    this.#acquireDuration.record(waitedMs / 1000, attributes)
  }

  holdEnded({ name, kind, heldMs = 0, error }: HoldTrace): void {
    const failure = error === undefined ? {} : { [attribute.errorType]: errorTypeOf(error) }
    this.#holdDuration.record(heldMs / 1000, { ...this.#attributesOf(name, kind), ...failure })
  }

  /** Reads the client's counters no more. */
  end(): void {
    this.meter.removeBatchObservableCallback(this.#observe, this.#observed)
  }

  #attributesOf(name: string, kind: string): Attributes {
    const group = shownGroup(this.groupOf, name)
    return {
      ...this.#own,
      [attribute.lockKind]: kind,
      ...(group === undefined ? {} : { [attribute.lockGroup]: group }),
    }
  }
}
