/** Every hold's lease is its own (Redisson #1458, #2144, #4217, #1604, #891), and the line outlives the dead. */
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.js'
import { lockName, MemoryPlace } from './places.js'
import { ClusterPlace, StandalonePlace } from './redis-places.js'

const places = [new MemoryPlace(), new StandalonePlace(), new ClusterPlace()]
const LONG_MS = 60_000
/** What two busy cores may take between two commands. */
const SLACK_MS = 5_000

describe.each(places.map((place) => ({ where: place.name, place })))('leases ($where)', ({ place }) => {
  afterEach(() => place.close())

  /** Whether the lease still runs for about as long as it was given. */
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

  test('a holder that died without a release: whoever keeps its place up next moves the line on', async () => {
    const name = lockName()
    const [holder, waiter] = [place.client(), place.client()]
    const dead = await holder.take('write', name, { leaseMs: LONG_MS })
    const next = await waiter.joinLine('read', name)
    // The first hold has exactly the lease it asks for: from now on a short one.
    await holder.granted('write', name, dead, { leaseMs: 300 })
    const { remainingMs } = await waiter.keepUp('read', name)
    expect(remainingMs).toBeLessThanOrEqual(300)
    await place.pass(301)
    await waiter.keepUp('read', name)
    await waiter.enters('read', name, next)
    await waiter.release('read', name, next)
  })

  test('a writer that died in line keeps readers out for one waiter lease at most, and only once', async () => {
    const name = lockName()
    const waiterLeaseMs = 300
    const [holder, dead, alive] = [place.client(), place.client({ waiterLeaseMs }), place.client()]
    const reader = await holder.take('read', name)
    for (let count = 0; count < 3; count += 1) await dead.joinLine('write', name)
    const next = await alive.joinLine('read', name)
    await place.pass(waiterLeaseMs + 1)
    await alive.keepUp('read', name)
    await alive.enters('read', name, next)
    expect(await holder.ports.read.countWatchers(name)).toBe(0)
    expect(await dead.keepUp('write', name)).toMatchObject({ askAgain: true })
    await holder.release('read', name, reader)
    await alive.release('read', name, next)
  })

  test('H16: a place that has lapsed is noticed although its client has called again since', async () => {
    const name = lockName()
    const [holder, slow, other] = [place.client(), place.client({ waiterLeaseMs: 600 }), place.client()]
    const first = await holder.take('write', name)
    const late = await slow.joinLine('write', name)
    await place.pass(610)
    const reader = await other.joinLine('read', name)
    await holder.release('write', name, first)
    await other.enters('read', name, reader)
    const later = await slow.joinLine('write', name)
    expect(await slow.keepUp('write', name)).toMatchObject({ askAgain: true })
    await slow.refused('write', name, late)
    expect(await slow.keepUp('write', name)).toMatchObject({ askAgain: false })
    await other.release('read', name, reader)
    for (const owner of [later, late]) {
      await slow.enters('write', name, owner)
      await slow.release('write', name, owner)
    }
  })

  test('a place that is kept up outlasts its lease; one that is not does not', async () => {
    const name = lockName()
    const waiterLeaseMs = 1_200
    const [holder, dead, alive] = [
      place.client(),
      place.client({ waiterLeaseMs }),
      place.client({ waiterLeaseMs }),
    ]
    const reader = await holder.take('read', name)
    const [first, next] = [await dead.joinLine('write', name), await alive.joinLine('write', name)]
    await place.pass(waiterLeaseMs / 2)
    await alive.keepUp('write', name)
    await place.pass(waiterLeaseMs / 2 + 1)
    await holder.release('read', name, reader)
    expect(await holder.holders('write', name)).toEqual([next])
    expect(await dead.release('write', name, first)).toBe('not-owner')
    await alive.release('write', name, next)
  })

  test('who was granted the lock in line and does not take it over loses it after one waiter lease', async () => {
    const name = lockName()
    const holder = place.client({ waiterLeaseMs: 1_500 })
    const [dead, alive] = [place.client({ waiterLeaseMs: 1_500 }), place.client()]
    const first = await holder.take('write', name)
    const granted = await dead.joinLine('write', name)
    const next = await alive.joinLine('write', name)
    await holder.release('write', name, first)
    expect(await holder.holders('write', name)).toEqual([granted])
    expect((await holder.inspect('write', name)).remainingMs).toBeLessThanOrEqual(1_500)
    await place.pass(1_501)
    await alive.keepUp('write', name)
    await alive.enters('write', name, next)
    expect(await dead.release('write', name, granted)).toBe('not-owner')
    await alive.release('write', name, next)
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

  test('keepUp says so when a waiter of this client has been granted the lock and has not taken it over', async () => {
    const name = lockName()
    const [holder, waiter] = [place.client(), place.client()]
    const first = await holder.take('write', name)
    const next = waiter.owner()
    // No watch: nothing is heard.
    await waiter.refused('write', name, next)
    expect(await waiter.keepUp('write', name)).toMatchObject({ askAgain: false })
    await holder.release('write', name, first)
    expect(await waiter.keepUp('write', name)).toMatchObject({ askAgain: true })
    await waiter.granted('write', name, next)
    await waiter.release('write', name, next)
    await eventually(async () => (await waiter.holders('write', name)).length === 0)
  })
})
