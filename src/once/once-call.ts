import type { Compute } from './once.js'
import type { OnceOptions } from './once-options.js'

/** The arguments of `holdfast.once()` when it is for a value. */
export type OnceCall = [key: string, compute: Compute<unknown>, options: OnceOptions]

/**
 * `once` is also what every `EventEmitter` has. Told apart by the `ttlMs`, which a value must have: so an event's name can be a
 * key, and a key without options is not taken for an event.
 */
export function isOnceCall(call: readonly unknown[]): call is OnceCall {
  const [event, , options] = call
  if (typeof options === 'object' && options !== null && 'ttlMs' in options) return true
  return typeof event !== 'string' || !EVENTS.has(event)
}

const EVENTS: ReadonlySet<string> = new Set([
  'waiting',
  'acquired',
  'renewed',
  'released',
  'suspended',
  'lost',
  'warning',
  'error',
])
