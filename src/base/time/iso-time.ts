/** A time in milliseconds since 1970, in ISO 8601; `-` for what is no time: any program may have left it in a store. */
export function isoTime(time: number): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '-' : date.toISOString()
}
