/** A number with three significant digits and spaces between thousands; nothing of nothing. */
export function shownNumber(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '–'
  if (value === 0) return '0'
  const magnitude = Math.floor(Math.log10(Math.abs(value)))
  if (magnitude >= 2) return grouped(Math.round(value))
  return value.toFixed(Math.min(3, 2 - magnitude))
}

export function shownCount(value: number): string {
  return grouped(Math.round(value))
}

/** A number on an axis: round, so without digits that say nothing. */
export function shownTick(value: number): string {
  return value >= 1_000 ? grouped(value) : `${value}`
}

/** A thin space would be finer, but not every font of a terminal has one. */
function grouped(value: number): string {
  return `${value}`.replace(/\B(?=(\d{3})+$)/g, ' ')
}
