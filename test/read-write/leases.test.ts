/** Every hold's lease is its own (Redisson #1458, #2144, #4217, #1604, #891). */
import { afterEach, describe, expect, test } from 'vitest'
import { ReadWriteClient } from '../setup/port-client.js'
import { lockName, MemoryPlace, RedisPlace } from '../setup/port-place.js'

const places = [
  new MemoryPlace(ReadWriteClient),
  RedisPlace.standalone(ReadWriteClient),
  RedisPlace.cluster(ReadWriteClient),
]
const LONG_MS = 60_000
/** What two busy cores may take between two commands. */
const SLACK_MS = 5_000

describe.each(places.map((place) => ({ where: place.name, place })))('leases ($where)', ({ place }) => {
  afterEach(() => place.close())

  function expectWhole(remainingMs: number): void {
    expect(remainingMs).toBeGreaterThan(LONG_MS - SLACK_MS)
    expect(remainingMs).toBeLessThanOrEqual(LONG_MS)
  }

  // Redisson recomputes the key's time to live from the readers when a read is released: 60 s of a write become 5 s.
  test("a read released within a write leaves the write's lease alone", async () => {
    const name = lockName()
    const client = place.client()
    const owner = await client.take('write', name, { leaseMs: LONG_MS })
    await client.granted('read', name, owner, { leaseMs: 5_000 })
    await client.release('read', name, owner)
    await place.client().refused('read', name, client.owner(), { waits: false })
    expectWhole((await client.inspect('write', name)).remainingMs)
    await client.release('write', name, owner)
  })

  // Redisson adds the leases of nested writes up: 10 s and 10 s become 20 s.
  test('a nested hold neither adds to the lease nor shortens it (L2)', async () => {
    const client = place.client()
    for (const side of ['read', 'write'] as const) {
      const name = lockName()
      const owner = await client.take(side, name, { leaseMs: LONG_MS })
      await client.granted(side, name, owner, { heldBefore: 1, leaseMs: LONG_MS })
      expectWhole((await client.inspect(side, name)).remainingMs)
      await client.granted(side, name, owner, { heldBefore: 2, leaseMs: 10 })
      expectWhole((await client.inspect(side, name)).remainingMs)
      await client.release(side, name, owner, 3)
      expectWhole((await client.inspect(side, name)).remainingMs)
      await client.release(side, name, owner, 1)
    }
  })

  test('a reader that dies is gone when its own lease ends, however long others read and renew', async () => {
    const name = lockName()
    const [alive, dead] = [place.client(), place.client()]
    const reader = await alive.take('read', name, { leaseMs: LONG_MS })
    const gone = await dead.take('read', name, { leaseMs: 200 })
    expect(await alive.renew('read', name, reader, LONG_MS)).toBe(true)
    await place.pass(201)
    expect(await alive.renew('read', name, reader, LONG_MS)).toBe(true)
    expect(await alive.holders('read', name)).toEqual([reader])
    expect(await dead.renew('read', name, gone)).toBe(false)
    expect(await dead.release('read', name, gone)).toBe('not-owner')
    expect(await alive.release('read', name, reader)).toBe('released')
    await alive.take('write', name, { waits: false, leaseMs: 10 })
  })

  test("a reader's release and short lease do not shorten another's, nor lengthen it", async () => {
    const name = lockName()
    const client = place.client()
    const reader = await client.take('read', name, { leaseMs: LONG_MS })
    const other = await client.take('read', name, { leaseMs: 300 })
    await client.release('read', name, other)
    expectWhole((await client.inspect('read', name)).remainingMs)
    const short = await client.take('read', name, { leaseMs: 300 })
    await client.release('read', name, reader)
    expect((await client.inspect('read', name)).remainingMs).toBeLessThanOrEqual(300)
    await place.pass(301)
    expect(await client.holders('read', name)).toEqual([])
    expect(await client.release('read', name, short)).toBe('not-owner')
  })

  test('a write whose lease has ended leaves the read of the same owner, and the reverse', async () => {
    const client = place.client()
    for (const [short, long] of [
      ['write', 'read'],
      ['read', 'write'],
    ] as const) {
      const name = lockName()
      const owner = await client.take('write', name, { leaseMs: short === 'write' ? 200 : LONG_MS })
      await client.granted('read', name, owner, { leaseMs: short === 'read' ? 200 : LONG_MS })
      await place.pass(201)
      expect(await client.holders(short, name)).toEqual([])
      expectWhole((await client.inspect(long, name)).remainingMs + 201)
      expect(await client.release(long, name, owner)).toBe('released')
    }
  })

  test('a lease of its own is set when the grant is taken over, exactly', async () => {
    const name = lockName()
    const client = place.client()
    const first = await client.take('write', name)
    const next = await client.joinLine('write', name, { leaseMs: LONG_MS })
    await client.release('write', name, first)
    await client.enters('write', name, next, { leaseMs: LONG_MS })
    expectWhole((await client.inspect('write', name)).remainingMs)
    // Shorter than what was granted in line, too.
    const short = await client.joinLine('read', name, { leaseMs: 1_000 })
    await client.release('write', name, next)
    await client.enters('read', name, short, { leaseMs: 1_000 })
    expect((await client.inspect('read', name)).remainingMs).toBeLessThanOrEqual(1_000)
    await client.release('read', name, short)
  })
})
