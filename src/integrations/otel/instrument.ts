// As a whole: old releases have no metrics, and would fail before anybody says why.

import type { MeterProvider, TracerProvider } from '@opentelemetry/api'
import * as api from '@opentelemetry/api'
import { checkMethods } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { quoted } from '../../base/errors/holdfast-error.js'
import { checkPeer } from '../../base/packages/peer.js'
import { checkObserved, listenTo, type ObservedClient } from '../../observe/trace/listener.js'
import type { GroupOf } from '../../observe/trace/shown-name.js'
import { Instruments } from './instruments.js'
import { Spans } from './spans.js'

/** Settings of {@link instrument}. */
export interface InstrumentOptions {
  /**
   * Names the client in its metrics (`holdfast.client`), where a process has several. Their names must differ.
   * @default none
   */
  readonly client?: string
  /**
   * The group of a lock, by its name: an attribute of the metrics (`holdfast.lock.group`). Each group makes time series of its own, so keep
   * them few. `undefined`: the lock has none.
   * @default no groups, because there is no limit to names
   */
  readonly groupOf?: GroupOf
  /**
   * Where the spans go.
   * @default the global one
   */
  readonly tracerProvider?: TracerProvider
  /**
   * Where the metrics go.
   * @default the global one
   */
  readonly meterProvider?: MeterProvider
}

const SCOPE = 'holdfast'

/** The clients whose numbers a meter provider gets already, by their names. */
const known = new WeakMap<MeterProvider, Set<string>>()

/**
 * Reports the work of one client to OpenTelemetry: spans for each acquire, hold and release, and metrics. Call it when the SDK has been
 * set up, before the client is used. See docs/opentelemetry.md.
 *
 * @returns what ends it.
 * @throws `InvalidArgumentError` if an option is invalid, or a client of that name is instrumented already.
 */
export function instrument(client: ObservedClient, options: InstrumentOptions = {}): Disposable {
  checkPeer('@opentelemetry/api')
  const name = checkObserved(client, options, ['tracerProvider', 'meterProvider'])
  const { tracerProvider = api.trace.getTracerProvider(), meterProvider = api.metrics.getMeterProvider() } =
    options
  checkMethods('tracerProvider', tracerProvider, ['getTracer'], 'a TracerProvider of OpenTelemetry')
  checkMethods('meterProvider', meterProvider, ['getMeter'], 'a MeterProvider of OpenTelemetry')
  const names = known.get(meterProvider) ?? new Set<string>()
  known.set(meterProvider, names)
  if (names.has(name))
    throw new InvalidArgumentError('client', options.client, 'a name of its own for each client', {
      found: `${quoted(name)} is the name of another instrumented client`,
    })
  names.add(name)

  const instruments = new Instruments(meterProvider.getMeter(SCOPE), client, name, options.groupOf)
  const spans = new Spans(tracerProvider.getTracer(SCOPE))
  const end = listenTo(client, {
    acquire: {
      began: (acquire) => spans.acquireBegan(acquire),
      ended: (acquire) => {
        // Within the span, which samples of a histogram may point to.
        spans.acquireEnded(acquire, () => instruments.acquireEnded(acquire))
      },
    },
    hold: {
      began: (hold) => spans.holdBegan(hold),
      ended: (hold) => spans.holdEnded(hold, () => instruments.holdEnded(hold)),
    },
    release: {
      began: (release) => spans.releaseBegan(release),
      ended: (release) => spans.releaseEnded(release),
    },
  })
  let ended = false
  return {
    [Symbol.dispose]: () => {
      if (ended) return
      ended = true
      end()
      instruments.end()
      names.delete(name)
    },
  }
}
