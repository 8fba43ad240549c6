/**
 * The token of a new tenure: greater than the last one, and no less than the clock's microseconds. So tokens grow even in a replica that
 * took over without its primary's last writes. The statements of PostgreSQL and MySQL that need no reading do the same in SQL.
 */
export function nextFence(last: bigint | undefined, clock: bigint): bigint {
  return last === undefined || last < clock ? clock : last + 1n
}
