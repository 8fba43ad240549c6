/** How many of `servers` servers it takes so that any two such groups have a server in common. */
export function majorityOf(servers: number): number {
  return Math.floor(servers / 2) + 1
}

/** How many may fail without leaving the others short of a majority. */
export function sparesOf(servers: number): number {
  return servers - majorityOf(servers)
}

/**
 * The time from which a majority of the servers have reached their time, given each one's. With the times at which their
 * holders' leases end: when a majority may be free. Infinity where so many never do.
 */
export function whenMajority(times: readonly number[]): number {
  const inOrder = [...times].sort((one, other) => one - other)
  return inOrder[majorityOf(times.length) - 1] ?? Infinity
}

/** The time up to which a majority of the servers have not reached their time: how long a majority lasts. */
export function majorityLasts(times: readonly number[]): number {
  const latestFirst = [...times].sort((one, other) => other - one)
  return latestFirst[majorityOf(times.length) - 1] ?? 0
}
