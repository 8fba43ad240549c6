/** The same cells in another order in each round, so that none always runs after the same one. */
export function rotated<Value>(values: readonly Value[], round: number, rounds: number): Value[] {
  if (values.length === 0) return []
  const step = Math.max(1, Math.round(values.length / Math.max(1, rounds)))
  const shift = (round * step) % values.length
  return [...values.slice(shift), ...values.slice(0, shift)]
}
