/**
 * The token of a new tenure: greater than the last, and no less than the clock's. So it grows even where the last is not known, in a
 * replica that took over without the end of what its primary had written.
 */
export function nextFence(last: bigint | undefined, clock: bigint): bigint {
  return last === undefined || last < clock ? clock : last + 1n
}
