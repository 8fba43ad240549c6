/** Who may enter when, in every place the lock can be kept. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LockUpgradeError } from '../../src/base/errors/upgrade-error.js'
import type { Owner } from '../../src/base/identity/owner.js'
import { ReadWriteClient } from '../setup/port-client.js'
import { lockName, MemoryPlace, RedisPlace } from '../setup/port-place.js'

const LONG_MS = 60_000
/** What two busy cores may take between two commands. */
const SLACK_MS = 5_000

describe.each([
  new MemoryPlace(ReadWriteClient),
  RedisPlace.standalone(ReadWriteClient),
  RedisPlace.cluster(ReadWriteClient),
])('read-write lock ($name)', (place) => {
  let name: string
  let one: ReadWriteClient
  let two: ReadWriteClient
  beforeEach(() => {
    name = lockName()
    ;[one, two] = [place.client(), place.client()]
  })
  afterEach(() => place.close())

  test('reentry on both sides; a partial release keeps it; nobody else can release it (O5)', async () => {
    for (const side of ['read', 'write'] as const) {
      const owner = await one.take(side, name)
      await one.granted(side, name, owner, { heldBefore: 1 })
      expect((await two.inspect(side, name)).owners).toMatchObject([{ owner, holds: 2 }])
      expect(await two.release(side, name, two.owner())).toBe('not-owner')
      expect(await one.release(side, name, owner, 2)).toBe('still-held')
      await two.refused('write', name, two.owner(), { waits: false })
      expect(await one.release(side, name, owner, 1)).toBe('released')
      expect(await one.release(side, name, owner, 1)).toBe('not-owner')
      expect(await one.release(side, name, owner, 1, true)).toBe('released')
      expect(await one.acquire(side, name, owner, { heldBefore: 1 })).toEqual({ outcome: 'lost' })
    }
  })

  test('a reader is not let past a writer who waits, unless it reads already', async () => {
    const reader = await one.take('read', name)
    const writer = await two.joinLine('write', name)
    await one.refused('read', name, one.owner(), { waits: false })
    await one.granted('read', name, reader, { heldBefore: 1 })
    const late = await one.joinLine('read', name)
    await one.release('read', name, reader, 2)
    expect(await two.holders('write', name)).toEqual([])
    await one.release('read', name, reader)
    await two.enters('write', name, writer)
    expect(await one.holders('read', name)).toEqual([])
    await two.release('write', name, writer)
    await one.passes('read', name, late)
  })

  test('first come, first served: all readers in front of the next writer enter together, no more', async () => {
    const holder = place.client()
    const first = await holder.take('write', name)
    const batch = [
      { client: one, owner: await one.joinLine('read', name) },
      { client: two, owner: await two.joinLine('read', name) },
      { client: one, owner: await one.joinLine('read', name) },
    ]
    const writer = await two.joinLine('write', name)
    const last = await one.joinLine('read', name)
    expect(await holder.ports.write.countWatchers(name)).toBe(2)
    await holder.release('write', name, first)
    expect(await holder.holders('read', name)).toEqual(batch.map(({ owner }) => owner).sort())
    for (const { client, owner } of batch) await client.enters('read', name, owner)
    for (const { client, owner } of batch) {
      expect(await holder.holders('write', name)).toEqual([])
      await client.release('read', name, owner)
    }
    await two.enters('write', name, writer)
    expect(one.heard).not.toContain(`read ${last}`)
    await two.release('write', name, writer)
    await one.passes('read', name, last)
    expect(await holder.ports.read.countWatchers(name)).toBe(0)
  })

  // Redisson publishes nothing when a writer goes on as a reader: those who wait to read sleep until a timer ends.
  test('a writer may read as well, and when it goes on reading only, readers who wait are let in', async () => {
    const owner = await one.take('write', name)
    const waiting = await two.joinLine('read', name)
    await one.granted('read', name, owner)
    expect(await two.holders('read', name)).toEqual([owner])
    expect(await one.release('write', name, owner)).toBe('released')
    await two.enters('read', name, waiting)
    expect(await two.holders('read', name)).toEqual([owner, waiting].sort())
    await two.refused('write', name, two.owner(), { waits: false })
    await one.release('read', name, owner)
    await two.release('read', name, waiting)
  })

  test('who reads and asks to write is refused with an error at once, alone or not, and nothing changes', async () => {
    const owner = await one.take('read', name)
    const upgrade = { code: 'LOCK_UPGRADE', lockName: name, owner }
    for (const waits of [true, false]) {
      const asked = one.acquire('write', name, owner, { waits })
      await expect(asked).rejects.toBeInstanceOf(LockUpgradeError)
      await expect(asked).rejects.toMatchObject(upgrade)
    }
    const other = await two.take('read', name)
    await expect(one.acquire('write', name, owner)).rejects.toMatchObject(upgrade)
    expect(await one.holders('read', name)).toEqual([owner, other].sort())
    expect(await one.ports.write.countWatchers(name)).toBe(0)
    // After a downgrade it is the same: the write is over.
    await two.release('read', name, other)
    await one.release('read', name, owner)
    await one.granted('write', name, owner)
    await one.granted('read', name, owner)
    await one.granted('write', name, owner, { heldBefore: 1 })
    await one.release('write', name, owner, 2)
    await one.release('write', name, owner)
    await expect(one.acquire('write', name, owner)).rejects.toMatchObject(upgrade)
    await one.release('read', name, owner)
  })

  test('a waiter that leaves is out of the line, and those behind it move up', async () => {
    const reader = await one.take('read', name)
    const writer = await two.joinLine('write', name)
    const late = await one.joinLine('read', name)
    await two.abandon('write', name, writer)
    await one.enters('read', name, late)
    expect(await one.holders('read', name)).toEqual([reader, late].sort())
    expect(await one.ports.read.countWatchers(name)).toBe(0)
    // What was granted to one that has left is given back.
    const next = await two.joinLine('write', name)
    await one.release('read', name, reader)
    await one.release('read', name, late)
    expect(await one.holders('write', name)).toEqual([next])
    await two.abandon('write', name, next)
    expect(await one.holders('write', name)).toEqual([])
  })

  test('forceUnlock frees its own side, and lets in whom that kept out', async () => {
    const owner = await one.take('write', name)
    await one.granted('read', name, owner)
    const waiting = await two.joinLine('read', name)
    expect(await two.ports.write.forceUnlock(name)).toBe(true)
    expect(await two.ports.write.forceUnlock(name)).toBe(false)
    await two.enters('read', name, waiting)
    expect(await two.holders('read', name)).toEqual([owner, waiting].sort())
    const writer = await two.joinLine('write', name)
    expect(await one.ports.read.forceUnlock(name)).toBe(true)
    await two.enters('write', name, writer)
    expect(await one.release('read', name, owner)).toBe('not-owner')
    expect(await one.renew('read', name, owner)).toBe(false)
    expect(await one.ports.read.forceUnlock(name)).toBe(false)
    await two.release('write', name, writer)
  })

  test('list names each lock once on each side, whatever its braces', async () => {
    const names = ['*', '*{x}', '{*}', '{*', '}*', '{}*', '{{*}:y'].map((form) => form.replace('*', name))
    const taken = new Map<string, Owner>()
    for (const each of names) taken.set(each, await one.take('write', each))
    // None is another's, and each key of it can be reached in one script.
    for (const [each, owner] of taken) expect(await one.holders('write', each)).toEqual([owner])
    const listed: string[] = []
    for await (const state of one.ports.write.list(`*${name}*`)) listed.push(state.name)
    expect(listed.sort()).toEqual(names.sort())
    for await (const state of one.ports.read.list(`*${name}*`)) throw new Error(`nobody reads ${state.name}`)
    for (const [each, owner] of taken) await one.release('write', each, owner)
  })

  /** Every hold's lease is its own (Redisson #1458, #2144, #4217, #1604, #891). */
  describe('leases', () => {
    function expectWhole(remainingMs: number): void {
      expect(remainingMs).toBeGreaterThan(LONG_MS - SLACK_MS)
      expect(remainingMs).toBeLessThanOrEqual(LONG_MS)
    }

    // Redisson recomputes the key's time to live from the readers when a read is released: 60 s of a write become 5 s.
    test("a read released within a write leaves the write's lease alone", async () => {
      const owner = await one.take('write', name, { leaseMs: LONG_MS })
      await one.granted('read', name, owner, { leaseMs: 5_000 })
      await one.release('read', name, owner)
      await two.refused('read', name, two.owner(), { waits: false })
      expectWhole((await one.inspect('write', name)).remainingMs)
      await one.release('write', name, owner)
    })

    // Redisson adds the leases of nested writes up: 10 s and 10 s become 20 s.
    test('a nested hold neither adds to the lease nor shortens it (L2)', async () => {
      for (const side of ['read', 'write'] as const) {
        name = lockName()
        const owner = await one.take(side, name, { leaseMs: LONG_MS })
        await one.granted(side, name, owner, { heldBefore: 1, leaseMs: LONG_MS })
        expectWhole((await one.inspect(side, name)).remainingMs)
        await one.granted(side, name, owner, { heldBefore: 2, leaseMs: 10 })
        expectWhole((await one.inspect(side, name)).remainingMs)
        await one.release(side, name, owner, 3)
        expectWhole((await one.inspect(side, name)).remainingMs)
        await one.release(side, name, owner, 1)
      }
    })

    test('a reader that dies is gone when its own lease ends, however long others read and renew', async () => {
      const reader = await one.take('read', name, { leaseMs: LONG_MS })
      const gone = await two.take('read', name, { leaseMs: 200 })
      expect(await one.renew('read', name, reader, LONG_MS)).toBe(true)
      await place.pass(201)
      expect(await one.renew('read', name, reader, LONG_MS)).toBe(true)
      expect(await one.holders('read', name)).toEqual([reader])
      expect(await two.renew('read', name, gone)).toBe(false)
      expect(await two.release('read', name, gone)).toBe('not-owner')
      expect(await one.release('read', name, reader)).toBe('released')
      await one.take('write', name, { waits: false, leaseMs: 10 })
    })

    test("a reader's release and short lease do not shorten another's, nor lengthen it", async () => {
      const reader = await one.take('read', name, { leaseMs: LONG_MS })
      await one.release('read', name, await one.take('read', name, { leaseMs: 300 }))
      expectWhole((await one.inspect('read', name)).remainingMs)
      const short = await one.take('read', name, { leaseMs: 300 })
      await one.release('read', name, reader)
      expect((await one.inspect('read', name)).remainingMs).toBeLessThanOrEqual(300)
      await place.pass(301)
      expect(await one.holders('read', name)).toEqual([])
      expect(await one.release('read', name, short)).toBe('not-owner')
    })

    test('a write whose lease has ended leaves the read of the same owner, and the reverse', async () => {
      for (const [short, long] of [
        ['write', 'read'],
        ['read', 'write'],
      ] as const) {
        name = lockName()
        const owner = await one.take('write', name, { leaseMs: short === 'write' ? 200 : LONG_MS })
        await one.granted('read', name, owner, { leaseMs: short === 'read' ? 200 : LONG_MS })
        await place.pass(201)
        expect(await one.holders(short, name)).toEqual([])
        expectWhole((await one.inspect(long, name)).remainingMs + 201)
        expect(await one.release(long, name, owner)).toBe('released')
      }
    })

    test('a lease of its own is set when the grant is taken over, exactly', async () => {
      const first = await one.take('write', name)
      const next = await one.joinLine('write', name, { leaseMs: LONG_MS })
      await one.release('write', name, first)
      await one.enters('write', name, next, { leaseMs: LONG_MS })
      expectWhole((await one.inspect('write', name)).remainingMs)
      // Shorter than what was granted in line, too.
      const short = await one.joinLine('read', name, { leaseMs: 1_000 })
      await one.release('write', name, next)
      await one.enters('read', name, short, { leaseMs: 1_000 })
      expect((await one.inspect('read', name)).remainingMs).toBeLessThanOrEqual(1_000)
      await one.release('read', name, short)
    })
  })
})
