/** What read-write locks do and leave in Redis. */
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.js'
import { ReadWriteClient } from '../setup/port-client.js'
import { lockName, RedisPlace } from '../setup/port-place.js'

const DAY_MS = 86_400_000

describe.each([
  RedisPlace.standalone(ReadWriteClient),
  RedisPlace.standalone(ReadWriteClient, { protocol: 2 }),
  RedisPlace.cluster(ReadWriteClient),
])('read-write lock in Redis ($name, %#)', (place) => {
  const { server } = place
  afterEach(() => place.close())

  test('nothing is left after use but the counter of tokens, which ends by itself', async () => {
    const name = lockName()
    const [one, two] = [place.client(), place.client()]
    const writer = await one.take('write', name)
    const reader = await two.joinLine('read', name)
    const left = await two.joinLine('write', name)
    const parts = ['', '_fence', '_leases', '_line', '_processes']
    const keys = parts.map((part) => `holdfast_rw${part}:{${name}}`)
    expect(await server.keys(name)).toEqual([...keys].sort())
    for (const key of keys) {
      const ttl = Number(await server.ask(key, 'PTTL', key))
      expect(ttl).toBeGreaterThan(0)
      expect(ttl).toBeLessThanOrEqual(key.includes('_fence') ? DAY_MS + 30_000 : 40_000)
    }
    await two.abandon('write', name, left)
    await one.release('write', name, writer)
    await two.passes('read', name, reader)
    const fence = `holdfast_rw_fence:{${name}}`
    expect(await server.keys(name)).toEqual([fence])
    expect(Number(await server.ask(fence, 'PTTL', fence))).toBeGreaterThan(DAY_MS - 60_000)
  })

  test('a new counter begins above the one that was lost', async () => {
    const name = lockName()
    const client = place.client()
    const owner = client.owner()
    const { fence: before } = await client.granted('write', name, owner)
    await client.release('write', name, owner)
    const key = `holdfast_rw_fence:{${name}}`
    await server.ask(key, 'DEL', key)
    const { fence } = await client.granted('write', name, owner)
    expect(fence).toBeGreaterThan(before ?? 0n)
    await client.release('write', name, owner)
    // And one that ran ahead of the server's clock is not fallen back behind.
    await server.ask(key, 'SET', key, '9000000000000000')
    expect((await client.granted('write', name, owner)).fence).toBe(9_000_000_000_000_001n)
    await client.release('write', name, owner)
    await server.ask(key, 'DEL', key)
  })

  test('faults A6: tokens grow beyond 2^53, for each write, and a read has that of the write before it', async () => {
    const name = lockName()
    const client = place.client()
    const owner = client.owner()
    const key = `holdfast_rw_fence:{${name}}`
    const last = 2n ** 53n
    await server.ask(key, 'SET', key, `${last - 1n}`)
    for (const fence of [last, last + 1n, last + 2n]) {
      expect((await client.granted('write', name, owner)).fence).toBe(fence)
      await client.release('write', name, owner)
      expect((await client.granted('read', name, owner)).fence).toBe(fence)
      await client.release('read', name, owner)
    }
    expect(Number(await server.ask(key, 'PTTL', key))).toBeGreaterThan(DAY_MS - 60_000)
    // One that counts no further refuses, and nothing is changed.
    await server.ask(key, 'SET', key, `${2n ** 63n - 1n}`)
    await expect(client.granted('write', name, owner)).rejects.toMatchObject({ code: 'STORE_ERROR' })
    expect(await server.keys(name)).toEqual([key])
    await server.ask(key, 'DEL', key)
  })

  test('each grant is told once, to its own client only, and one message names all of that client', async () => {
    const name = lockName()
    const [holder, one, two] = [place.client(), place.client(), place.client()]
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
    await two.granted('read', name, other)
    await two.release('read', name, other)
    await holder.passes('write', name, third)
  })

  test('a grant that was told is taken over without a command, and with no more time than it has', async () => {
    const name = lockName()
    const [holder, waiter] = [place.client(), place.client()]
    const first = await holder.take('write', name)
    const next = await waiter.joinLine('write', name)
    await holder.release('write', name, first)
    const sentAt = performance.now()
    const reply = await waiter.enters('write', name, next)
    expect(reply.granted?.leaseMs).toBe(5_000)
    expect(reply.granted?.since).toBeLessThanOrEqual(sentAt)
    expect(reply.fence).toBeGreaterThan(0n)
    // Its own lease is set by a renewal.
    expect((await waiter.inspect('write', name)).remainingMs).toBeLessThanOrEqual(5_000)
    expect(await waiter.renew('write', name, next)).toBe(true)
    expect((await waiter.inspect('write', name)).remainingMs).toBeGreaterThan(20_000)
    // Only once: the next answer comes from the store.
    await waiter.release('write', name, next)
    const stranger = await holder.take('write', name)
    await waiter.refused('write', name, next)
    await waiter.abandon('write', name, next)
    await holder.release('write', name, stranger)
  })

  test('every request may be delivered twice and counts once (X1)', async () => {
    const name = lockName()
    const [one, two] = [place.client(), place.client()]
    for (const side of ['read', 'write'] as const) {
      const owner = one.owner()
      for (let twice = 0; twice < 2; twice += 1) await one.granted(side, name, owner)
      for (let twice = 0; twice < 2; twice += 1) await one.granted(side, name, owner, { heldBefore: 1 })
      expect((await one.inspect(side, name)).owners).toMatchObject([{ owner, holds: 2 }])
      for (let twice = 0; twice < 2; twice += 1)
        expect(await one.release(side, name, owner, 2)).toBe('still-held')
      expect((await one.inspect(side, name)).owners).toMatchObject([{ owner, holds: 1 }])
      expect(await one.release(side, name, owner)).toBe('released')
      expect(await one.release(side, name, owner, 1, true)).toBe('released')
      const holder = await one.take('write', name)
      for (let twice = 0; twice < 2; twice += 1) await two.refused(side, name, owner)
      expect(await server.ask(`holdfast_rw_line:{${name}}`, 'ZCARD', `holdfast_rw_line:{${name}}`)).toBe(1)
      for (let twice = 0; twice < 2; twice += 1) await two.abandon(side, name, owner)
      await one.release('write', name, holder)
    }
  })

  test('a server that has forgotten the scripts is sent them (X2)', async () => {
    const name = lockName()
    const client = place.client()
    const forget = (): Promise<void> => server.askAll('SCRIPT', 'FLUSH')
    const owner = client.owner()
    await forget()
    await client.granted('write', name, owner)
    await forget()
    expect(await client.renew('write', name, owner)).toBe(true)
    await forget()
    const next = await client.joinLine('read', name)
    await forget()
    expect(await client.holders('write', name)).toEqual([owner])
    await forget()
    expect(await client.ports.write.forceUnlock(name)).toBe(true)
    await forget()
    await client.release('read', name, next)
  })

  test('keys that an operator has deleted one by one leave no hold behind that nobody has', async () => {
    for (const part of ['', '_leases', '_line', '_processes']) {
      const name = lockName()
      const [one, two] = [place.client(), place.client()]
      const reader = await one.take('read', name)
      const writer = await two.joinLine('write', name)
      const key = `holdfast_rw${part}:{${name}}`
      await server.ask(key, 'DEL', key)
      await one.release('read', name, reader)
      const reply = await two.acquire('write', name, writer)
      expect(reply.outcome).toBe('granted')
      expect(await two.release('write', name, writer)).toBe('released')
      // Nor a place: whatever else was in it ends by itself.
      const left = (await server.keys(name)).filter((each) => each !== `holdfast_rw_processes:{${name}}`)
      expect(left).toEqual([`holdfast_rw_fence:{${name}}`])
      const processes = `holdfast_rw_processes:{${name}}`
      expect(await server.ask(processes, 'PTTL', processes)).not.toBe(-1)
    }
  })

  test('a lock or a Redisson read-write lock of the same name is neither touched nor minded', async () => {
    const name = lockName()
    await server.ask(name, 'HSET', name, 'mode', 'read', 'someone', '1')
    const client = place.client()
    const owner = await client.take('write', name)
    await client.release('write', name, owner)
    expect(await server.ask(name, 'HMGET', name, 'mode', 'someone')).toEqual(['read', '1'])
    expect(await server.ask(name, 'HLEN', name)).toBe(2)
    await server.ask(name, 'DEL', name)
  })

  test('a key of another type is refused and left as it is', async () => {
    const name = lockName()
    const client = place.client()
    for (const part of ['', '_leases', '_line', '_fence']) {
      const key = `holdfast_rw${part}:{${name}}`
      await server.ask(key, 'SET', key, 'mine')
      const asked = client.acquire('write', name, client.owner())
      await expect(asked).rejects.toMatchObject({ reason: 'wrong-type', transient: false })
      expect(await server.keys(name)).toEqual([key])
      expect(await server.ask(key, 'GET', key)).toBe('mine')
      await server.ask(key, 'DEL', key)
    }
  })
})

test("the client's keyPrefix stands in every key, and list gives the names without it", async () => {
  const place = RedisPlace.standalone(ReadWriteClient, { keyPrefix: 'app:' })
  const [name, strange] = [lockName(), `{x}${lockName()}`]
  const client = place.client()
  const owners = [await client.take('read', name), await client.take('read', strange)]
  expect(await place.server.keys(name)).toContain(`holdfast_rw:{app:${name}}`)
  expect(await place.server.keys(strange)).toContain(`holdfast_rw:app:${strange}`)
  const listed: string[] = []
  for await (const state of client.ports.read.list('*ports:*')) listed.push(state.name)
  expect(listed).toEqual(expect.arrayContaining([name, strange]))
  for (const [index, each] of [name, strange].entries())
    await client.release('read', each, owners[index] ?? client.owner())
  await place.close()
})
