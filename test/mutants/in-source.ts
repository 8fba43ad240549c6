import type { Fault } from './fault.js'

/** Broken versions of one file of `src`. */
export function inSource(source: string, ...faults: readonly Omit<Fault, 'in'>[]): Fault[] {
  return faults.map((fault) => ({ ...fault, in: { source: `src/${source}` } }))
}
