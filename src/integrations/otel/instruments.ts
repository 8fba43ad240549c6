import type { Attributes, BatchObservableCallback, Meter, Observable } from '@opentelemetry/api'
import * as api from '@opentelemetry/api'
import { BOUNDS_SECONDS } from '../../observe/metrics/histogram.js'
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

    const counter = (name: string, unit: string, description: string) =>
      meter.createObservableCounter(name, { description, unit, valueType: api.ValueType.INT })
    const current = (name: string, unit: string, description: string) =>
      meter.createObservableUpDownCounter(name, { description, unit, valueType: api.ValueType.INT })
    const contended = counter(
      'holdfast.acquire.contended',
      '{call}',
      'Calls that did not get the lock at once and began to wait.',
    )
    const released = counter('holdfast.hold.released', '{hold}', 'Holds whose release the store confirmed.')
    const lost = counter('holdfast.lock.lost', '{lock}', 'Locks that were lost while held.')
    const handedOver = counter(
      'holdfast.lock.handed_over',
      '{lock}',
      'Grants to a waiter of the process that released.',
    )
    const lingered = counter(
      'holdfast.lock.lingered',
      '{lock}',
      'Grants of a lock that had stayed with this process.',
    )
    const renewed = counter('holdfast.lease.renewed', '{lease}', 'Leases that the watchdog renewed.')
    const notRenewed = counter('holdfast.lease.renewal_failed', '{lease}', 'Renewals that failed.')
    const waiting = current('holdfast.acquire.waiting', '{call}', 'Calls that wait for a lock.')
    const held = current('holdfast.hold.active', '{hold}', 'Holds, nested ones included.')

    this.#observed = [contended, released, lost, handedOver, lingered, renewed, notRenewed, waiting, held]
    this.#observe = (result) => {
      const now = client.metrics()
      const observe = (instrument: Observable, count: number, more: Attributes = {}): void =>
        result.observe(instrument, count, { ...this.#own, ...more })
      observe(contended, now.contended)
      observe(released, now.released)
      for (const [reason, count] of Object.entries(now.lost))
        observe(lost, count, { [attribute.lossReason]: reason })
      observe(handedOver, now.handOvers.inMemory, { [attribute.handOverBy]: 'memory' })
      observe(handedOver, now.handOvers.byCommand, { [attribute.handOverBy]: 'command' })
      observe(lingered, now.lingered)
      observe(renewed, now.renewals)
      observe(notRenewed, now.renewalFailures)
      observe(waiting, now.waiting)
      observe(held, now.held)
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
