/** The least value that at least that share of the values do not exceed; `undefined` of none. */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number | undefined {
  const sorted = Float64Array.from(values).sort()
  const low = sorted[Math.floor((sorted.length - 1) / 2)]
  const high = sorted[Math.floor(sorted.length / 2)]
  return low === undefined || high === undefined ? undefined : (low + high) / 2
}
