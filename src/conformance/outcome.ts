import type { Place } from './place.js'

/** What a promise comes to, with time passing meanwhile as it does at that place. */
export async function inTime<Value>(place: Place, promise: Promise<Value>): Promise<Value> {
  let settled = false
  const settle = (): void => {
    settled = true
  }
  promise.then(settle, settle)
  await place.eventually(() => settled)
  return await promise
}

/** What a promise rejects with; itself rejects when the promise does not, for whoever awaits it. To be called before the rejection can happen. */
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
