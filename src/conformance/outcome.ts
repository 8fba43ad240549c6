import { Latch } from './latch.js'
import type { Place } from './place.js'

/** What a promise comes to, with time passing meanwhile as it does at that place. */
export async function inTime<Value>(place: Place, promise: Promise<Value>): Promise<Value> {
  const settled = new Latch()
  const settle = (): void => settled.open()
  promise.then(settle, settle)
  await place.eventually(() => settled.isOpen)
  return await promise
}

/** Resolves to the error that the promise rejects with, and rejects if the promise resolves. Call it before the promise can settle; its result may be awaited later. */
export function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  const rejection = promise.then(
    (value) => {
      throw new Error(`should have been rejected, but resolved to ${String(value)}`)
    },
    (error: unknown) => error,
  )
  rejection.catch(() => undefined)
  return rejection
}
