import type { Holdfast } from '../../src/index.js'
import type { VirtualClock } from '../../src/stores/memory/index.js'

/** What a call came to, and when; empty until it has ended. */
export interface End<Value> {
  at?: number
  value?: Value
  error?: unknown
}

export function endOf<Value>(clock: VirtualClock, work: Promise<Value> | undefined): End<Value> {
  const end: End<Value> = {}
  work?.then(
    (value) => Object.assign(end, { at: clock.now() }, value !== undefined && { value }),
    (error: unknown) => Object.assign(end, { at: clock.now(), error }),
  )
  return end
}

export function passing(clock: VirtualClock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.startTimer(resolve, ms))
}

/** Lets time pass, a millisecond at a time, until the work is done. */
export async function inVirtualTime<Value>(clock: VirtualClock, work: Promise<Value>): Promise<Value> {
  const end = endOf(clock, work)
  for (let step = 0; end.at === undefined && step < 10_000; step += 1) await clock.advance(1)
  return await work
}

/** Closes them within a minute. */
export async function closeAll(clock: VirtualClock, ...clients: readonly Holdfast[]): Promise<void> {
  const closing = Promise.all(clients.map((client) => client.close()))
  await clock.advance(60_000)
  await closing
}
