import type { HoldfastMetrics } from '../../observe/metrics/metrics.js'

/** A metric that comes from a client's numbers. */
export interface Numbers {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  /** One or more, by their labels. */
  samples(now: HoldfastMetrics): Array<{ readonly labels: Record<string, string>; readonly value: number }>
}

function plain(name: string, help: string, value: (now: HoldfastMetrics) => number): Numbers {
  return { name, help, labelNames: [], samples: (now) => [{ labels: {}, value: value(now) }] }
}

function split(
  name: string,
  help: string,
  label: string,
  values: (now: HoldfastMetrics) => Readonly<Record<string, number>>,
): Numbers {
  return {
    name,
    help,
    labelNames: [label],
    samples: (now) =>
      Object.entries(values(now)).map(([part, value]) => ({ labels: { [label]: part }, value })),
  }
}

export const counters: readonly Numbers[] = [
  plain('holdfast_acquired', 'Granted holds, nested ones included.', ({ acquired }) => acquired),
  plain(
    'holdfast_contended',
    'Calls that did not get the lock at once and began to wait.',
    ({ contended }) => contended,
  ),
  split(
    'holdfast_refused',
    'Calls that ended without the lock.',
    'outcome',
    ({ timedOut, cancelled, failed }) => ({ timeout: timedOut, cancelled, failed }),
  ),
  plain('holdfast_released', 'Holds whose release the store confirmed.', ({ released }) => released),
  split('holdfast_lost', 'Locks that were lost while held.', 'reason', ({ lost }) => lost),
  split(
    'holdfast_hand_overs',
    'Grants to a waiter of the process that released.',
    'by',
    ({ handOvers: { inMemory, byCommand } }) => ({ memory: inMemory, command: byCommand }),
  ),
  plain(
    'holdfast_lingered',
    'Grants of a lock that had stayed with this process.',
    ({ lingered }) => lingered,
  ),
  plain('holdfast_renewals', 'Leases that the watchdog renewed.', ({ renewals }) => renewals),
  plain('holdfast_renewal_failures', 'Renewals that failed.', ({ renewalFailures }) => renewalFailures),
]

export const gauges: readonly Numbers[] = [
  plain('holdfast_waiting', 'Calls that wait for a lock.', ({ waiting }) => waiting),
  plain('holdfast_held', 'Holds, nested ones included.', ({ held }) => held),
]
