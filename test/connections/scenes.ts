import { afterEach } from 'vitest'
import { Holdfast, type HoldfastOptions, type Lock, type RedisClient } from '../../src/index.js'
import { eventually } from '../setup/eventually.js'

/** How much later than its bound a call may end on a busy machine. */
export const SLACK_MS = 1_500

/** Who waits for the end of this was not woken. */
export const LEASE_MS = 60_000

/** The clients that are made like those of ioredis, with the protocols that they speak and how many connections they need for what. */
export const clients = [
  { what: 'ioredis 6, RESP3', library: 'ioredis-6', client: {}, holding: 1, waiting: 1 },
  { what: 'ioredis 6, RESP2', library: 'ioredis-6', client: { protocol: 2 }, holding: 1, waiting: 2 },
  { what: 'ioredis 5', library: 'ioredis-5', client: {}, holding: 1, waiting: 2 },
  { what: 'iovalkey', library: 'iovalkey', client: {}, holding: 1, waiting: 2 },
] as const

/** Makes what other processes would have; each ends with its test, before what was brought before this was called. */
export function holdfasts(): (client: RedisClient, options?: HoldfastOptions) => Holdfast {
  const ends: Array<() => Promise<void>> = []
  afterEach(() => Promise.all(ends.splice(0).map((end) => end())))
  return (client, options = {}) => {
    const holdfast = new Holdfast(client, options)
    ends.push(async () => {
      await holdfast.close()
      client.disconnect()
    })
    return holdfast
  }
}

/** One holds the lock, the other waits in line, is told of the release, and has it next. */
export async function handOver(holder: Lock, waiter: Lock): Promise<void> {
  const hold = await holder.acquire({ leaseMs: LEASE_MS })
  const waiting = waiter.acquire()
  await eventually(async () => (await holder.countWaitingClients()) === 1)
  await hold.release()
  await (await waiting).release()
}
