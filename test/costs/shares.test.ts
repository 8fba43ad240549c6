/** How a lock that is wanted all the time is shared among processes, near and far (rule W3: none starves for being slow or far away). */
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { Holdfast, type RedisClient } from '../../src/index.js'
import { type ClientLibrary, standaloneClient } from '../setup/clients.js'
import { Wire } from '../wire/wire.js'

/** How often the lock changes hands, for each client: a share is what a client has of its turns, which last as long as a slice may. */
const TURNS_EACH = 40
const protocols = [
  { protocol: 'RESP3', library: 'ioredis-6' },
  { protocol: 'RESP2', library: 'ioredis-5' },
] as const

let names = 0

async function clientAt(roundTripMs: number, library: ClientLibrary): Promise<Holdfast> {
  const { host, port } = inject('servers').standalone
  const way = await Wire.before({ host, port })
  way.delayMs = roundTripMs / 2
  const client: RedisClient = standaloneClient({ host, port: way.port }, library)
  const holdfast = new Holdfast(client)
  onTestFinished(async () => {
    await holdfast.close()
    client.disconnect()
    await way.stop()
  })
  return holdfast
}

/** How many sections each client had in so many turns, with two calls each that want the lock all the time. */
async function sharesOf(clients: readonly Holdfast[]): Promise<number[]> {
  names += 1
  const name = `shares:${process.pid}:${Date.now()}:${names}`
  const counts = clients.map(() => 0)
  // All have had it once, so that no connection is still to be made.
  for (const client of clients) await client.lock(name).withLock(() => undefined)
  let turns = TURNS_EACH * clients.length
  let last: number | undefined
  await Promise.all(
    clients.flatMap((client, index) =>
      [1, 2].map(async () => {
        while (turns > 0) {
          await client.lock(name).withLock(() => {
            if (last !== index) turns -= 1
            last = index
            counts[index] = (counts[index] ?? 0) + 1
          })
        }
      }),
    ),
  )
  return counts
}

const factorOf = (counts: readonly number[]): number => Math.max(...counts) / Math.min(...counts)

describe.each(protocols)('H19: shares of a lock that all want all the time ($protocol)', ({ library }) => {
  test('two, whatever their distance: within a factor of four', async () => {
    for (const [one, other] of [
      [0, 5],
      [0, 20],
      [20, 20],
    ] as const) {
      const counts = await sharesOf([await clientAt(one, library), await clientAt(other, library)])
      expect(factorOf(counts)).toBeLessThan(4)
    }
  })

  test('sixteen on equal ground: within a factor of three of each other', async () => {
    const clients = await Promise.all(Array.from({ length: 16 }, () => clientAt(0, library)))
    expect(factorOf(await sharesOf(clients))).toBeLessThan(3)
  })
})
