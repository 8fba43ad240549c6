/** The line of a fair lock as it stands in the server, and clients that join it one after another. */
import type { Holdfast, HoldfastOptions } from '../../src/index.js'
import type { Place } from '../setup/places.js'

/** Who is in line, the first first. */
export async function inLine(place: Place, name: string): Promise<string[]> {
  const places = await place.client().call('ZRANGE', `holdfast_line:{${name}}`, 0, -1)
  return Array.isArray(places) ? places.map((text) => String(text).replace(/^[^:]*:/, '')) : []
}

/** As many clients, each waiting, in this order. */
export async function queueUp(
  place: Place,
  name: string,
  count: number,
  wait: (holdfast: Holdfast, index: number) => Promise<unknown>,
  options?: HoldfastOptions,
): Promise<Promise<unknown>[]> {
  const waits: Promise<unknown>[] = []
  for (let index = 0; index < count; index += 1) {
    waits.push(wait(place.holdfast(options), index))
    await place.eventually(async () => (await inLine(place, name)).length === index + 1)
  }
  return waits
}
