/** How a lock that is wanted all the time is shared among processes, near and far (rule W3: none starves for being slow or far away). */
import { afterEach, describe, expect, inject, test } from 'vitest'
import { Holdfast, type RedisClient } from '../../src/index.js'
import { Distance } from '../fault/distance.js'
import { type ClientLibrary, standaloneClient } from '../setup/clients.js'

const LONG_MS = 3_000
const protocols = [
  { protocol: 'RESP3', library: 'ioredis-6' },
  { protocol: 'RESP2', library: 'ioredis-5' },
] as const

const ends: Array<() => Promise<void>> = []
let names = 0

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function clientAt(roundTripMs: number, library: ClientLibrary): Promise<Holdfast> {
  const { host, port } = inject('servers').standalone
  const way = roundTripMs > 0 ? await Distance.to({ host, port }, roundTripMs) : undefined
  const client: RedisClient = standaloneClient({ host, port: way?.port ?? port }, library)
  const holdfast = new Holdfast(client)
  ends.push(async () => {
    await holdfast.close()
    client.disconnect()
    await way?.stop()
  })
  return holdfast
}

/** How many sections each client had in the same time, with two calls each that want the lock all the time. */
async function sharesOf(clients: readonly Holdfast[]): Promise<number[]> {
  names += 1
  const name = `shares:${process.pid}:${Date.now()}:${names}`
  const counts = clients.map(() => 0)
  // All have had it once, so that no connection is still to be made.
  for (const client of clients) await client.lock(name).withLock(() => undefined)
  const until = performance.now() + LONG_MS
  await Promise.all(
    clients.flatMap((client, index) =>
      [1, 2].map(async () => {
        while (performance.now() < until) {
          await client.lock(name).withLock(() => {
            counts[index] = (counts[index] ?? 0) + 1
          })
        }
      }),
    ),
  )
  return counts
}

function factorOf(counts: readonly number[]): number {
  return Math.max(...counts) / Math.min(...counts)
}

describe.each(protocols)('H19: shares of a lock that all want all the time ($protocol)', ({ library }) => {
  test('two, whatever their distance: within a factor of four', { timeout: 60_000 }, async () => {
    for (const [one, other] of [
      [0, 5],
      [0, 20],
      [20, 20],
    ] as const) {
      const counts = await sharesOf([await clientAt(one, library), await clientAt(other, library)])
      expect(factorOf(counts)).toBeLessThan(4)
    }
  })

  test('sixteen on equal ground: within a factor of three of each other', {
    timeout: 60_000,
  }, async () => {
    const clients = await Promise.all(Array.from({ length: 16 }, () => clientAt(0, library)))
    expect(factorOf(await sharesOf(clients))).toBeLessThan(3)
  })
})
