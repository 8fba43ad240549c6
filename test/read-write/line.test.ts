/** The line of a read-write lock in Redis, without heartbeats: who is gone, who does not answer, and who looks by itself. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { processChannelsOf } from '../../src/stores/redis/keys/companion-key.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { ReadWriteClient, type Side } from '../setup/port-client.js'
import { lockName, RedisPlace } from '../setup/port-place.js'

const places = [
  RedisPlace.standalone(ReadWriteClient),
  RedisPlace.standalone(ReadWriteClient, { protocol: 2 }),
  RedisPlace.cluster(ReadWriteClient),
]

/** What the store keeps of a client in line. */
async function processOf(place: RedisPlace<ReadWriteClient>, name: string, { clientId }: ReadWriteClient) {
  const key = `holdfast_rw_processes:{${name}}`
  const kept = await place.server.ask(key, 'HGET', key, clientId)
  const [looksAt, , awaySince, places] = typeof kept === 'string' ? kept.split(' ').map(Number) : []
  return { looksAt, awaySince, places }
}

async function isAway(
  place: RedisPlace<ReadWriteClient>,
  name: string,
  client: ReadWriteClient,
): Promise<boolean> {
  return ((await processOf(place, name, client)).awaySince ?? 0) > 0
}

/** Ends the client's connections, and waits until the server has seen that. */
async function vanish(
  place: RedisPlace<ReadWriteClient>,
  name: string,
  client: ReadWriteClient,
): Promise<void> {
  await client.close()
  const inCluster = place.name === 'cluster'
  const channel = `${processChannelsOf(`holdfast_rw:{${name}}`, inCluster)}${client.clientId}`
  const count = inCluster ? 'SHARDNUMSUB' : 'NUMSUB'
  await eventually(async () => {
    const counted = await place.server.ask(channel, 'PUBSUB', count, channel)
    return Array.isArray(counted) && counted[1] === 0
  })
}

async function lineOf(place: RedisPlace<ReadWriteClient>, name: string): Promise<unknown> {
  const key = `holdfast_rw_line:{${name}}`
  return await place.server.ask(key, 'ZRANGE', key, 0, -1)
}

describe.each(places.map((place, index) => ({ where: place.name, place, index })))(
  'line of a read-write lock ($where, $index)',
  ({ place }) => {
    let firstLeaseMs = 0
    beforeEach(() => {
      firstLeaseMs = lasting(600)
    })
    afterEach(() => place.close())

    test('a holder that died without a release: the waiter looks when its lease ends, and finds room', async () => {
      for (const side of ['read', 'write'] as const) {
        const name = lockName()
        const [holder, waiter] = [place.client(), place.client()]
        // The waiter is in line before it ends.
        const leaseMs = lasting(1_000)
        await holder.take('write', name, { leaseMs })
        const next = await waiter.joinLine(side, name)
        const reply = await waiter.refused(side, name, next)
        expect(reply.againMs).toBeLessThanOrEqual(leaseMs + 2)
        await place.pass(leaseMs + 1)
        await waiter.granted(side, name, next)
        await waiter.release(side, name, next)
      }
    })

    test('a reader waits for the end of the writer, a writer for that of the last reader', async () => {
      const name = lockName()
      const client = place.client()
      const owner = await client.take('write', name, { leaseMs: 20_000 })
      await client.granted('read', name, owner, { leaseMs: 30_000 })
      const other = place.client()
      const seen = async (side: Side): Promise<number> =>
        (await other.refused(side, name, other.owner(), { waits: false })).remainingMs
      expect(await seen('read')).toBeLessThanOrEqual(20_000)
      expect(await seen('write')).toBeGreaterThan(20_000)
      await client.release('write', name, owner)
      await client.release('read', name, owner)
    })

    test('a process whose connection is gone is passed over at once, and keeps its place for a while', async () => {
      const name = lockName()
      const [holder, dead, alive] = [place.client(), place.client(), place.client()]
      const reader = await holder.take('read', name)
      const gone = [await dead.joinLine('write', name), await dead.joinLine('read', name)]
      const next = await alive.joinLine('write', name)
      await vanish(place, name, dead)
      await holder.release('read', name, reader)
      await alive.enters('write', name, next)
      expect(await isAway(place, name, dead)).toBe(true)
      expect(await lineOf(place, name)).toEqual([`w:${gone[0]}`, `r:${gone[1]}`])
      // A writer that is away keeps no reader from reading.
      await alive.release('write', name, next)
      const readers = [await alive.take('read', name), await holder.take('read', name)]
      expect(await holder.holders('read', name)).toEqual([...readers].sort())
      await alive.release('read', name, readers[0] ?? next)
      // After ten seconds without a sign it is out.
      const key = `holdfast_rw_processes:{${name}}`
      const since = Math.floor(await place.server.timeMs()) - 10_001
      await place.server.ask(key, 'HSET', key, dead.clientId, `0 5000 ${since} 2`)
      await holder.release('read', name, readers[1] ?? next)
      expect(await place.server.keys(name)).toEqual([`holdfast_rw_fence:{${name}}`])
    })

    test.each([['write'], ['read'], ['read', 'read', 'write', 'read']] as Side[][])(
      'a process that hears and does nothing costs one first lease, however many places it has (%s, …)',
      async (...sides) => {
        const name = lockName()
        const holder = place.client()
        const [frozen, alive] = [place.client({ firstLeaseMs: firstLeaseMs }), place.client()]
        const first = await holder.take('write', name)
        for (const side of [...sides, 'write', 'read', 'write'] as const) await frozen.joinLine(side, name)
        const next = await alive.joinLine('write', name)
        await holder.release('write', name, first)
        expect((await holder.inspect(sides[0] ?? 'read', name)).remainingMs).toBeLessThanOrEqual(firstLeaseMs)
        // It was told when to look.
        await alive.refused('write', name, next)
        await place.pass(firstLeaseMs + 1)
        await alive.granted('write', name, next)
        expect(await isAway(place, name, frozen)).toBe(true)
        await alive.release('write', name, next)
        // Nor does it hold up anybody who comes now.
        const late = await alive.take('write', name)
        await alive.release('write', name, late)
      },
    )

    test('processes that were let in together and do nothing: each counts as away by what it was granted itself', async () => {
      const name = lockName()
      const holder = place.client()
      const idle = [0, 1].map(() => place.client({ firstLeaseMs: firstLeaseMs }))
      const [good, next] = [place.client({ firstLeaseMs: firstLeaseMs }), place.client()]
      const first = await holder.take('write', name)
      for (const client of idle) await client.joinLine('read', name)
      const reader = await good.joinLine('read', name)
      for (const client of [...idle, good]) await client.joinLine('write', name)
      const writer = await next.joinLine('write', name)
      await holder.release('write', name, first)
      // Taken over without a command; a renewal is the first that is heard of it.
      await good.enters('read', name, reader)
      expect(await good.renew('read', name, reader, 2 * firstLeaseMs)).toBe(true)
      await place.pass(2 * firstLeaseMs + 1)
      // Its lease has ended, too; but it had taken over.
      await next.refused('write', name, writer)
      expect(await Promise.all(idle.map((client) => isAway(place, name, client)))).toEqual([true, true])
      const [held] = await holder.holders('write', name)
      expect(held?.startsWith(good.clientId)).toBe(true)
      await good.abandon('write', name, held ?? writer)
      await next.passes('write', name, writer)
    })

    test('the next in line is told to look when the end comes nearer than it knew', async () => {
      const name = lockName()
      const [holder, other, waiter] = [place.client(), place.client(), place.client()]
      const long = await holder.take('read', name, { leaseMs: 25_000 })
      // What follows is done before it ends.
      const leaseMs = lasting(1_000)
      await other.take('read', name, { leaseMs })
      const next = await waiter.joinLine('write', name)
      await waiter.refused('write', name, next)
      await holder.release('read', name, long)
      await waiter.hears('write look')
      await place.pass(leaseMs + 1)
      await waiter.granted('write', name, next)
      await waiter.release('write', name, next)
    })
  },
)
