import { merge, type Records } from '../../bench/measure/records.js'

/** A section as the drivers record it: waiter, requested, entered, left. */
export type Section = readonly [waiter: number, requestedAt: number, enteredAt: number, leftAt: number]

/** The records of some processes, each given as its sections. */
export function recordsOf(...processes: readonly (readonly Section[])[]): Records {
  return merge(processes.map((sections) => Float64Array.from(sections.flat())))
}
