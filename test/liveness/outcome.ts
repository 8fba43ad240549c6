import type { VirtualClock } from '../../src/stores/memory/index.js'

/** What has become of a promise so far. */
export interface Outcome<Value> {
  /** When it settled; undefined while it has not. */
  readonly at: number | undefined
  readonly value: Value | undefined
  readonly error: unknown
}

export function outcomeOf<Value>(clock: VirtualClock, work: Promise<Value>): Outcome<Value> {
  const outcome: { -readonly [Key in keyof Outcome<Value>]: Outcome<Value>[Key] } = {
    at: undefined,
    value: undefined,
    error: undefined,
  }
  work.then(
    (value) => Object.assign(outcome, { at: clock.now(), value }),
    (error: unknown) => Object.assign(outcome, { at: clock.now(), error }),
  )
  return outcome
}
