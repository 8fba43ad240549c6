/** The line of a fair lock as it stands in the server, and clients that join it one after another. */
import type { Holdfast, HoldfastOptions } from '../../src/index.js'
import type { Place } from '../setup/places.js'

/** Who is in line, the first first. */
export async function inLine(place: Place, name: string): Promise<string[]> {
  const owners = await place.client().call('ZRANGE', `holdfast_line:{${name}}`, 0, -1)
  return Array.isArray(owners) ? owners.map(String) : []
}

/** When the last place lapses, in milliseconds from now by the server. */
export async function longestPlaceMs(place: Place, name: string): Promise<number> {
  const client = place.client()
  const time = await client.call('TIME')
  const [seconds, microseconds] = Array.isArray(time) ? time.map(Number) : []
  const places = await client.call('HVALS', `holdfast_processes:{${name}}`)
  const lapses = (Array.isArray(places) ? places : []).map((text) => Number(String(text).split(' ')[0]))
  return Math.max(0, ...lapses) - (seconds ?? 0) * 1_000 - (microseconds ?? 0) / 1_000
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
