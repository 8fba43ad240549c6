import type { TracingChannel } from 'node:diagnostics_channel'
import { checkFunction, checkMethods, checkObject } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import type { Owner } from '../../base/identity/owner.js'
import type { HoldfastMetrics } from '../metrics/metrics.js'
import { type AcquireTrace, acquireChannel } from './acquire.js'
import { type HoldTrace, holdChannel } from './hold.js'
import { type ReleaseTrace, releaseChannel } from './release.js'
import { type GroupOf, shownName } from './shown-name.js'

/** A client to observe: a `Holdfast` or a `LockClient`. */
export interface ObservedClient {
  metrics(): HoldfastMetrics
  owner(): Owner
}

/**
 * Checks a client that is to be observed, and the settings.
 * @param more the names of settings besides these
 * @returns the client's name, which tells it from others of the process; empty if it has none
 */
export function checkObserved(
  client: unknown,
  settings: { readonly client?: string; readonly groupOf?: GroupOf },
  more: readonly string[],
): string {
  checkMethods('client', client, ['metrics', 'owner'], 'a Holdfast or a LockClient')
  checkObject('options', settings, ['client', 'groupOf', ...more])
  const { client: name = '', groupOf } = settings
  if (groupOf !== undefined) checkFunction('groupOf', groupOf)
  if (typeof name !== 'string') throw new InvalidArgumentError('client', name, 'a string')
  return shownName(name)
}

/** Called at the beginning and at the end of each, within the call that it hears of: it must be quick, and never throw. */
export interface Heard<Trace> {
  began?(trace: Trace): void
  ended(trace: Trace): void
}

/** Hears of one client's calls, holds and releases. */
export interface TraceListener {
  readonly acquire: Heard<AcquireTrace>
  readonly hold: Heard<HoldTrace>
  readonly release?: Heard<ReleaseTrace>
}

/** The channels carry what every client of the process does; the listener hears of this client alone. Returns how to end that. */
export function listenTo(client: ObservedClient, { acquire, hold, release }: TraceListener): () => void {
  const [clientId = ''] = client.owner().split(':')
  const ends = [
    subscribe(acquireChannel, clientId, acquire),
    subscribe(holdChannel, clientId, hold),
    ...(release ? [subscribe(releaseChannel, clientId, release)] : []),
  ]
  return () => {
    for (const end of ends) end()
  }
}

const ignore = (): void => undefined

function subscribe<Trace extends { readonly owner: Owner }>(
  channel: TracingChannel<unknown, Trace>,
  clientId: string,
  heard: Heard<Trace>,
): () => void {
  const subscribers = {
    start: (trace: Trace) => {
      if (trace.owner.startsWith(clientId)) heard.began?.(trace)
    },
    asyncEnd: (trace: Trace) => {
      if (trace.owner.startsWith(clientId)) heard.ended(trace)
    },
    end: ignore,
    asyncStart: ignore,
    error: ignore,
  }
  channel.subscribe(subscribers)
  return () => channel.unsubscribe(subscribers)
}
