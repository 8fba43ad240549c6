import { heldSince, type LockView, waitingCount } from './lock-view.js'

type Comparison = (one: LockView, other: LockView) => number

const byName: Comparison = (one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0)

/** What is unknown comes last. */
const byAge: Comparison = (one, other) =>
  (heldSince(one) ?? Infinity) - (heldSince(other) ?? Infinity) || byName(one, other)

/** The most waited for comes first. */
const byWaiting: Comparison = (one, other) =>
  (waitingCount(other) ?? 0) - (waitingCount(one) ?? 0) || byAge(one, other)

/** The orders of a list of locks. */
export const sortings = { waiting: byWaiting, age: byAge, name: byName } as const

export type Sorting = keyof typeof sortings
