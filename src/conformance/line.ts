import type { AcquireOptions, Hold, Holdfast, HoldfastOptions, Lock } from '../index.js'
import { untilWaiting } from './idle.js'
import type { Place } from './place.js'

/** A client that hands on: however slow the machine, the time slice does not end meanwhile. */
export function handingOn(place: Place, options: HoldfastOptions = {}): Holdfast {
  return place.holdfast({ handOverSliceMs: Number.POSITIVE_INFINITY, ...options })
}

/** A lock that a call of its own process holds, and calls that wait for it: each released hold goes to the next. */
export async function line<Terms extends readonly AcquireOptions[]>(
  place: Place,
  lock: Lock,
  terms: AcquireOptions,
  ...others: Terms
): Promise<[Hold, { [Index in keyof Terms]: Promise<Hold> }]>
export async function line(
  place: Place,
  lock: Lock,
  terms: AcquireOptions,
  ...others: AcquireOptions[]
): Promise<[Hold, Promise<Hold>[]]> {
  const hold = await lock.acquire(terms)
  const waits = others.map((options) => lock.acquire(options))
  for (const wait of waits) wait.catch(() => undefined)
  await untilWaiting(place, lock, 1)
  return [hold, waits]
}

/** Who has the lock as another client sees it: by the name the store has for them. */
export async function seen(place: Place, lock: Lock): Promise<unknown> {
  const { owners } = await place.holdfast().lock(lock.name).inspect()
  return owners.map(({ owner, holds }) => ({ owner, holds }))
}
