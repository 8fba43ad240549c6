/** What read-write locks do and leave in Redis, and their line there: without heartbeats, who is gone, does not answer, or looks by itself. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { processChannelsOf } from '../../src/stores/redis/keys/companion-key.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { ReadWriteClient, type Side } from '../setup/port-client.js'
import { lockName, RedisPlace } from '../setup/port-place.js'

const DAY_MS = 86_400_000

describe.each([
  RedisPlace.standalone(ReadWriteClient),
  RedisPlace.standalone(ReadWriteClient, { protocol: 2 }),
  RedisPlace.cluster(ReadWriteClient),
])('read-write lock in Redis ($name, %#)', (place) => {
  const { server } = place
  let name: string
  let holder: ReadWriteClient
  let one: ReadWriteClient
  let two: ReadWriteClient
  beforeEach(() => {
    name = lockName()
    ;[holder, one, two] = [place.client(), place.client(), place.client()]
  })
  afterEach(() => place.close())

  const key = (part: string): string => `holdfast_rw${part}:{${name}}`
  const ask = (command: string, part: string, ...args: (string | number)[]): Promise<unknown> =>
    server.ask(key(part), command, key(part), ...args)
  const remainingMs = async (side: Side): Promise<number> => (await holder.inspect(side, name)).remainingMs

  async function isAway({ clientId }: ReadWriteClient): Promise<boolean> {
    const [, , awaySince] = String(await ask('HGET', '_processes', clientId)).split(' ')
    return Number(awaySince) > 0
  }

  /** Ends the client's connections, and waits until the server has seen that. */
  async function vanish(client: ReadWriteClient): Promise<void> {
    await client.close()
    const inCluster = place.name === 'cluster'
    const channel = `${processChannelsOf(key(''), inCluster)}${client.clientId}`
    await eventually(async () => {
      const counted = await server.ask(channel, 'PUBSUB', inCluster ? 'SHARDNUMSUB' : 'NUMSUB', channel)
      return Array.isArray(counted) && counted[1] === 0
    })
  }

  test('nothing is left after use but the counter of tokens, which ends by itself', async () => {
    const writer = await one.take('write', name)
    const reader = await two.joinLine('read', name)
    const left = await two.joinLine('write', name)
    const parts = ['', '_fence', '_leases', '_line', '_processes']
    expect(await server.keys(name)).toEqual(parts.map(key).sort())
    for (const part of parts) {
      const ttl = await ask('PTTL', part)
      expect(ttl).toBeGreaterThan(0)
      expect(ttl).toBeLessThanOrEqual(part === '_fence' ? DAY_MS + 30_000 : 40_000)
    }
    await two.abandon('write', name, left)
    await one.release('write', name, writer)
    await two.passes('read', name, reader)
    expect(await server.keys(name)).toEqual([key('_fence')])
    expect(await ask('PTTL', '_fence')).toBeGreaterThan(DAY_MS - 60_000)
  })

  test('a new counter begins above the one that was lost', async () => {
    const owner = one.owner()
    const { fence: before = 0n } = await one.granted('write', name, owner)
    await one.release('write', name, owner)
    await ask('DEL', '_fence')
    expect((await one.granted('write', name, owner)).fence).toBeGreaterThan(before)
    await one.release('write', name, owner)
    // And one that ran ahead of the server's clock is not fallen back behind.
    await ask('SET', '_fence', '9000000000000000')
    expect((await one.granted('write', name, owner)).fence).toBe(9_000_000_000_000_001n)
    await one.release('write', name, owner)
    await ask('DEL', '_fence')
  })

  test('faults A6: tokens grow beyond 2^53, for each write, and a read has that of the write before it', async () => {
    const owner = one.owner()
    const last = 2n ** 53n
    await ask('SET', '_fence', `${last - 1n}`)
    for (const fence of [last, last + 1n, last + 2n]) {
      expect((await one.granted('write', name, owner)).fence).toBe(fence)
      await one.release('write', name, owner)
      expect((await one.granted('read', name, owner)).fence).toBe(fence)
      await one.release('read', name, owner)
    }
    expect(await ask('PTTL', '_fence')).toBeGreaterThan(DAY_MS - 60_000)
    // One that counts no further refuses, and nothing is changed.
    await ask('SET', '_fence', `${2n ** 63n - 1n}`)
    await expect(one.granted('write', name, owner)).rejects.toMatchObject({ code: 'STORE_ERROR' })
    expect(await server.keys(name)).toEqual([key('_fence')])
    await ask('DEL', '_fence')
  })

  test('each grant is told once, to its own client only, and one message names all of that client', async () => {
    const first = await holder.take('write', name)
    const owners = [await one.joinLine('read', name), await one.joinLine('read', name)]
    const other = await two.joinLine('read', name)
    const third = await holder.joinLine('write', name)
    await holder.release('write', name, first)
    await eventually(() => one.heard.length >= 4 && two.heard.length >= 1)
    // Two watches of the same side, so each message is heard twice.
    expect(one.heard).toEqual([...owners, ...owners].map((owner) => `read ${owner}`))
    expect(two.heard).toEqual([`read ${other}`])
    expect(holder.heard).toEqual([])
    for (const owner of owners) await one.granted('read', name, owner)
    for (const owner of owners) await one.release('read', name, owner)
    await two.passes('read', name, other)
    await holder.passes('write', name, third)
  })

  test('a grant that was told is taken over without a command, and with no more time than it has', async () => {
    const first = await holder.take('write', name)
    const next = await one.joinLine('write', name)
    await holder.release('write', name, first)
    const sentAt = performance.now()
    const reply = await one.enters('write', name, next)
    expect(reply.granted?.leaseMs).toBe(5_000)
    expect(reply.granted?.since).toBeLessThanOrEqual(sentAt)
    expect(reply.fence).toBeGreaterThan(0n)
    // Its own lease is set by a renewal.
    expect(await remainingMs('write')).toBeLessThanOrEqual(5_000)
    expect(await one.renew('write', name, next)).toBe(true)
    expect(await remainingMs('write')).toBeGreaterThan(20_000)
    // Only once: the next answer comes from the store.
    await one.release('write', name, next)
    const stranger = await holder.take('write', name)
    await one.refused('write', name, next)
    await one.abandon('write', name, next)
    await holder.release('write', name, stranger)
  })

  test('every request may be delivered twice and counts once (X1)', async () => {
    for (const side of ['read', 'write'] as const) {
      const owner = one.owner()
      for (const heldBefore of [0, 0, 1, 1]) await one.granted(side, name, owner, { heldBefore })
      expect((await one.inspect(side, name)).owners).toMatchObject([{ owner, holds: 2 }])
      for (let twice = 0; twice < 2; twice += 1)
        expect(await one.release(side, name, owner, 2)).toBe('still-held')
      expect((await one.inspect(side, name)).owners).toMatchObject([{ owner, holds: 1 }])
      expect(await one.release(side, name, owner)).toBe('released')
      expect(await one.release(side, name, owner, 1, true)).toBe('released')
      const writer = await one.take('write', name)
      for (let twice = 0; twice < 2; twice += 1) await two.refused(side, name, owner)
      expect(await ask('ZCARD', '_line')).toBe(1)
      for (let twice = 0; twice < 2; twice += 1) await two.abandon(side, name, owner)
      await one.release('write', name, writer)
    }
  })

  test('a server that has forgotten the scripts is sent them (X2)', async () => {
    const owner = one.owner()
    const afresh = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
      await server.askAll('SCRIPT', 'FLUSH')
      return await call()
    }
    await afresh(() => one.granted('write', name, owner))
    expect(await afresh(() => one.renew('write', name, owner))).toBe(true)
    const next = await afresh(() => one.joinLine('read', name))
    expect(await afresh(() => one.holders('write', name))).toEqual([owner])
    expect(await afresh(() => one.ports.write.forceUnlock(name))).toBe(true)
    await afresh(() => one.release('read', name, next))
  })

  test('keys that an operator has deleted one by one leave no hold behind that nobody has', async () => {
    for (const part of ['', '_leases', '_line', '_processes']) {
      name = lockName()
      const reader = await one.take('read', name)
      const writer = await two.joinLine('write', name)
      await ask('DEL', part)
      await one.release('read', name, reader)
      await two.granted('write', name, writer)
      expect(await two.release('write', name, writer)).toBe('released')
      // Nor a place: whatever else was in it ends by itself.
      const left = (await server.keys(name)).filter((each) => each !== key('_processes'))
      expect(left).toEqual([key('_fence')])
      expect(await ask('PTTL', '_processes')).not.toBe(-1)
    }
  })

  test('a key of another type is refused and left as it is', async () => {
    for (const part of ['', '_leases', '_line', '_fence']) {
      await ask('SET', part, 'mine')
      const asked = one.acquire('write', name, one.owner())
      await expect(asked).rejects.toMatchObject({ reason: 'wrong-type', transient: false })
      expect(await server.keys(name)).toEqual([key(part)])
      expect(await ask('GET', part)).toBe('mine')
      await ask('DEL', part)
    }
  })

  describe('in line', () => {
    let firstLeaseMs = 0
    beforeEach(() => {
      firstLeaseMs = lasting(1_200)
    })

    test('a reader waits for the end of the writer, a writer for that of the last reader', async () => {
      const owner = await one.take('write', name, { leaseMs: 20_000 })
      await one.granted('read', name, owner, { leaseMs: 30_000 })
      const seen = async (side: Side): Promise<number> =>
        (await two.refused(side, name, two.owner(), { waits: false })).remainingMs
      expect(await seen('read')).toBeLessThanOrEqual(20_000)
      expect(await seen('write')).toBeGreaterThan(20_000)
      await one.release('write', name, owner)
      await one.release('read', name, owner)
    })

    test('a process whose connection is gone is passed over at once, and keeps its place for a while', async () => {
      const reader = await holder.take('read', name)
      const gone = [await one.joinLine('write', name), await one.joinLine('read', name)]
      const next = await two.joinLine('write', name)
      await vanish(one)
      await holder.release('read', name, reader)
      await two.enters('write', name, next)
      expect(await isAway(one)).toBe(true)
      expect(await ask('ZRANGE', '_line', 0, -1)).toEqual([`w:${gone[0]}`, `r:${gone[1]}`])
      // A writer that is away keeps no reader from reading.
      await two.release('write', name, next)
      const readers = [await two.take('read', name), await holder.take('read', name)] as const
      expect(await holder.holders('read', name)).toEqual([...readers].sort())
      await two.release('read', name, readers[0])
      // After ten seconds without a sign it is out.
      const since = Math.floor(await server.timeMs()) - 10_001
      await ask('HSET', '_processes', one.clientId, `0 5000 ${since} 2`)
      await holder.release('read', name, readers[1])
      expect(await server.keys(name)).toEqual([key('_fence')])
    })

    test.each([['write'], ['read'], ['read', 'read', 'write', 'read']] as Side[][])(
      'a process that hears and does nothing costs one first lease, however many places it has (%s, …)',
      async (...sides) => {
        const frozen = place.client({ firstLeaseMs })
        const first = await holder.take('write', name)
        for (const side of [...sides, 'write', 'read', 'write'] as const) await frozen.joinLine(side, name)
        const next = await two.joinLine('write', name)
        await holder.release('write', name, first)
        expect(await remainingMs(sides[0] ?? 'read')).toBeLessThanOrEqual(firstLeaseMs)
        // It was told when to look.
        await two.refused('write', name, next)
        await place.pass(firstLeaseMs + 1)
        await two.granted('write', name, next)
        expect(await isAway(frozen)).toBe(true)
        await two.release('write', name, next)
        // Nor does it hold up anybody who comes now.
        await two.release('write', name, await two.take('write', name))
      },
    )

    test('processes that were let in together and do nothing: each counts as away by what it was granted itself', async () => {
      const [slow, idle, good] = [0, 1, 2].map(() => place.client({ firstLeaseMs }))
      if (!slow || !idle || !good) throw new Error('three clients')
      const first = await holder.take('write', name)
      for (const client of [slow, idle]) await client.joinLine('read', name)
      const reader = await good.joinLine('read', name)
      for (const client of [slow, idle, good]) await client.joinLine('write', name)
      const writer = await two.joinLine('write', name)
      await holder.release('write', name, first)
      // Taken over without a command; a renewal is the first that is heard of it.
      await good.enters('read', name, reader)
      expect(await good.renew('read', name, reader, 2 * firstLeaseMs)).toBe(true)
      await place.pass(2 * firstLeaseMs + 1)
      // Its lease has ended, too; but it had taken over.
      await two.refused('write', name, writer)
      expect([await isAway(slow), await isAway(idle)]).toEqual([true, true])
      const [held = writer] = await holder.holders('write', name)
      expect(held.startsWith(good.clientId)).toBe(true)
      await good.abandon('write', name, held)
      await two.passes('write', name, writer)
    })

    test('the next in line is told to look when the end comes nearer than it knew', async () => {
      const long = await holder.take('read', name, { leaseMs: 25_000 })
      // What follows is done before it ends.
      const leaseMs = lasting(1_800)
      await two.take('read', name, { leaseMs })
      const next = await one.joinLine('write', name)
      await one.refused('write', name, next)
      await holder.release('read', name, long)
      await one.hears('write look')
      await place.pass(leaseMs + 1)
      await one.granted('write', name, next)
      await one.release('write', name, next)
    })
  })
})

test("the client's keyPrefix stands in every key, and list gives the names without it", async () => {
  const place = RedisPlace.standalone(ReadWriteClient, { keyPrefix: 'app:' })
  const [name, strange] = [lockName(), `{x}${lockName()}`]
  const client = place.client()
  const owners = [await client.take('read', name), await client.take('read', strange)] as const
  expect(await place.server.keys(name)).toContain(`holdfast_rw:{app:${name}}`)
  expect(await place.server.keys(strange)).toContain(`holdfast_rw:app:${strange}`)
  const listed: string[] = []
  for await (const state of client.ports.read.list('*ports:*')) listed.push(state.name)
  expect(listed).toEqual(expect.arrayContaining([name, strange]))
  await client.release('read', name, owners[0])
  await client.release('read', strange, owners[1])
  await place.close()
})
