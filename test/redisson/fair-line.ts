/** The line of a fair lock as it stands in the server. */
import type { Place } from '../setup/places.js'

/** Who is in line, the first first. */
export async function inLine(place: Place, name: string): Promise<string[]> {
  const places = await place.client().call('ZRANGE', `holdfast_line:{${name}}`, 0, -1)
  return Array.isArray(places) ? places.map((text) => String(text).replace(/^[^:]*:/, '')) : []
}
