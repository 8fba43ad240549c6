/** Who may enter when, in every place the lock can be kept. */
import { afterEach, describe, expect, test } from 'vitest'
import { LockUpgradeError } from '../../src/base/errors/upgrade-error.js'
import { ReadWriteClient } from '../setup/port-client.js'
import { lockName, MemoryPlace, RedisPlace } from '../setup/port-place.js'

const places = [
  new MemoryPlace(ReadWriteClient),
  RedisPlace.standalone(ReadWriteClient),
  RedisPlace.cluster(ReadWriteClient),
]

describe.each(places.map((place) => ({ where: place.name, place })))(
  'read-write lock ($where)',
  ({ place }) => {
    afterEach(() => place.close())

    test('reentry on both sides; a partial release keeps it; nobody else can release it (O5)', async () => {
      const name = lockName()
      const [client, other] = [place.client(), place.client()]
      for (const side of ['read', 'write'] as const) {
        const owner = await client.take(side, name)
        await client.granted(side, name, owner, { heldBefore: 1 })
        expect((await other.inspect(side, name)).owners).toMatchObject([{ owner, holds: 2 }])
        expect(await other.release(side, name, other.owner())).toBe('not-owner')
        expect(await client.release(side, name, owner, 2)).toBe('still-held')
        await other.refused('write', name, other.owner(), { waits: false })
        expect(await client.release(side, name, owner, 1)).toBe('released')
        expect(await client.release(side, name, owner, 1)).toBe('not-owner')
        expect(await client.release(side, name, owner, 1, true)).toBe('released')
        expect(await client.acquire(side, name, owner, { heldBefore: 1 })).toEqual({ outcome: 'lost' })
      }
    })

    test('a reader is not let past a writer who waits, unless it reads already', async () => {
      const name = lockName()
      const [one, two] = [place.client(), place.client()]
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
      const name = lockName()
      const [holder, one, two] = [place.client(), place.client(), place.client()]
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
      const name = lockName()
      const [one, two] = [place.client(), place.client()]
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
      const name = lockName()
      const [one, two] = [place.client(), place.client()]
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
      const name = lockName()
      const [one, two] = [place.client(), place.client()]
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
      const name = lockName()
      const [one, two] = [place.client(), place.client()]
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

    test('each write has a greater token than all before it; reads have that of the write before them', async () => {
      const name = lockName()
      const client = place.client()
      const [writer, owner, other] = [client.owner(), client.owner(), client.owner()]
      const first = await client.granted('write', name, writer)
      expect((await client.granted('write', name, writer, { heldBefore: 1 })).fence).toBe(first.fence)
      expect((await client.granted('write', name, writer)).fence).toBe(first.fence)
      expect((await client.granted('read', name, writer)).fence).toBe(first.fence)
      await client.release('read', name, writer)
      await client.release('write', name, writer)
      for (const reader of [owner, other]) {
        expect((await client.granted('read', name, reader)).fence).toBe(first.fence)
      }
      const waiting = await client.joinLine('write', name)
      await client.release('read', name, owner)
      await client.release('read', name, other)
      const second = await client.enters('write', name, waiting)
      expect(second.fence).toBeGreaterThan(first.fence ?? 0n)
      expect((await client.granted('write', name, waiting)).fence).toBe(second.fence)
      await client.release('write', name, waiting)
    })

    test('list names each lock once on each side, whatever its braces', async () => {
      const client = place.client()
      const base = lockName()
      const names = [base, `${base}{x}`, `{${base}}`, `{${base}`, `}${base}`, `{}${base}`, `{{${base}}:y`]
      const taken = new Map<string, ReturnType<typeof client.owner>>()
      for (const name of names) taken.set(name, await client.take('write', name))
      for (const [name, owner] of taken) {
        // None is another's, and each key of it can be reached in one script.
        expect(await client.holders('write', name)).toEqual([owner])
      }
      const listed: string[] = []
      for await (const { name } of client.ports.write.list(`*${base}*`)) listed.push(name)
      expect(listed.sort()).toEqual([...names].sort())
      for await (const { name } of client.ports.read.list(`*${base}*`))
        throw new Error(`nobody reads ${name}`)
      for (const [name, owner] of taken) await client.release('write', name, owner)
    })
  },
)
