import type { HoldfastMetrics } from './metrics.js'

/** What the metrics of other libraries show of a client: one number, or several that are parts of one. */
export interface ShownNumber {
  /** What it counts. */
  readonly text: string
  /** Each with the name of its part, if there are parts. */
  counts(now: HoldfastMetrics): ReadonlyArray<readonly [count: number, part?: string]>
}

/** By their names in {@link HoldfastMetrics}; `refused` is several of those. Made without a call, so that bundles can go without them. */
export const shown = {
  acquired: { text: 'Granted holds, nested ones included.', counts: ({ acquired }) => [[acquired]] },
  contended: {
    text: 'Calls that did not get the lock at once and began to wait.',
    counts: ({ contended }) => [[contended]],
  },
  refused: {
    text: 'Calls that ended without the lock.',
    counts: ({ timedOut, cancelled, failed }) => [
      [timedOut, 'timeout'],
      [cancelled, 'cancelled'],
      [failed, 'failed'],
    ],
  },
  released: { text: 'Holds whose release the store confirmed.', counts: ({ released }) => [[released]] },
  lost: {
    text: 'Locks that were lost while held.',
    counts: ({ lost }) => Object.entries(lost).map(([reason, count]) => [count, reason]),
  },
  handOvers: {
    text: 'Grants to a waiter of the process that released.',
    counts: ({ handOvers: { inMemory, byCommand } }) => [
      [inMemory, 'memory'],
      [byCommand, 'command'],
    ],
  },
  lingered: {
    text: 'Grants of a lock that had stayed with this process.',
    counts: ({ lingered }) => [[lingered]],
  },
  renewals: { text: 'Leases that the watchdog renewed.', counts: ({ renewals }) => [[renewals]] },
  renewalFailures: {
    text: 'Renewals that failed.',
    counts: ({ renewalFailures }) => [[renewalFailures]],
  },
  waiting: { text: 'Calls that wait for a lock.', counts: ({ waiting }) => [[waiting]] },
  held: { text: 'Holds, nested ones included.', counts: ({ held }) => [[held]] },
} satisfies Readonly<Record<string, ShownNumber>>
