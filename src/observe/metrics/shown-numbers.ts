import type { HoldfastMetrics } from './metrics.js'

/** What the metrics of other libraries show of a client: one number, or several that are parts of one. */
export interface ShownNumber {
  /** What it counts. */
  readonly text: string
  /** Each with the name of its part, if there are parts. */
  counts(now: HoldfastMetrics): ReadonlyArray<readonly [count: number, part?: string]>
}

function whole(text: string, countOf: (now: HoldfastMetrics) => number): ShownNumber {
  return { text, counts: (now) => [[countOf(now)]] }
}

function split(text: string, partsOf: (now: HoldfastMetrics) => Record<string, number>): ShownNumber {
  return { text, counts: (now) => Object.entries(partsOf(now)).map(([part, count]) => [count, part]) }
}

/** By their names in {@link HoldfastMetrics}; `refused` is several of those. */
export const shown = {
  acquired: whole('Granted holds, nested ones included.', ({ acquired }) => acquired),
  contended: whole(
    'Calls that did not get the lock at once and began to wait.',
    ({ contended }) => contended,
  ),
  refused: split('Calls that ended without the lock.', ({ timedOut, cancelled, failed }) => {
    return { timeout: timedOut, cancelled, failed }
  }),
  released: whole('Holds whose release the store confirmed.', ({ released }) => released),
  lost: split('Locks that were lost while held.', ({ lost }) => lost),
  handOvers: split('Grants to a waiter of the process that released.', ({ handOvers }) => {
    return { memory: handOvers.inMemory, command: handOvers.byCommand }
  }),
  lingered: whole('Grants of a lock that had stayed with this process.', ({ lingered }) => lingered),
  renewals: whole('Leases that the watchdog renewed.', ({ renewals }) => renewals),
  renewalFailures: whole('Renewals that failed.', ({ renewalFailures }) => renewalFailures),
  waiting: whole('Calls that wait for a lock.', ({ waiting }) => waiting),
  held: whole('Holds, nested ones included.', ({ held }) => held),
}
