/** What a store says to a process that would keep a lock beyond its release, and to those that ask for it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import type { Watch } from '../../src/port/lock-port.js'
import { eventually } from '../setup/eventually.js'
import { type Kind, LineClient } from '../setup/port-client.js'
import { lockName, MemoryPlace, RedisPlace } from '../setup/port-place.js'

const places = [
  new MemoryPlace(LineClient),
  RedisPlace.standalone(LineClient),
  RedisPlace.cluster(LineClient),
]
const kinds = ['lock', 'fenced', 'fair'] as const
const LINGERS = { lingers: true, waits: false }
const ONCE = { waits: false }

describe.each(places.flatMap((place) => kinds.map((kind) => ({ where: place.name, place, kind }))))(
  '$kind in $where',
  ({ place, kind }) => {
    let name: string
    let keeper: LineClient
    let other: LineClient
    let asked: number
    beforeEach(() => {
      name = lockName()
      keeper = place.client()
      other = place.client()
      asked = 0
    })
    afterEach(() => place.close())

    async function listen(client = keeper, on: Kind = kind): Promise<Watch | undefined> {
      const watch = client.ports[on].line?.hearAsks?.(name, () => {
        asked += 1
      })
      await watch?.confirmed
      expect(watch?.inForce).toBe(true)
      return watch
    }

    async function isAsked(times: number): Promise<void> {
      await eventually(
        () => asked,
        (count) => count === times,
      )
    }

    test('whoever is refused has its process told, once', async () => {
      const watch = await listen()
      const owner = keeper.owner()
      expect(await keeper.granted(kind, name, owner, LINGERS)).toMatchObject({ lingers: true })
      expect(await other.refused(kind, name, other.owner(), ONCE)).toMatchObject({
        lingers: true,
        holder: owner,
      })
      await isAsked(1)
      // Its process knows: what it does about that is told by the release.
      const next = await other.joinLine(kind, name)
      expect(await other.refused(kind, name, other.owner(), ONCE)).toMatchObject({ lingers: true })
      await place.pass(2)
      await keeper.release(kind, name, owner)
      await other.passes(kind, name, next)
      expect(asked).toBe(1)
      watch?.close()
    })

    test('without a wish for that nobody is told, nor told of', async () => {
      const watch = await listen()
      const owner = keeper.owner()
      expect(await keeper.granted(kind, name, owner, ONCE)).not.toHaveProperty('lingers')
      expect(await other.refused(kind, name, other.owner(), ONCE)).not.toHaveProperty('lingers')
      await keeper.release(kind, name, owner)
      expect(asked).toBe(0)
      watch?.close()
    })

    test('a message is for the lock that it is about alone, even if the name of another ends alike', async () => {
      const watch = await listen()
      const alike = `beside ${name}`
      const owners = [keeper.owner(), keeper.owner()] as const
      for (const [index, of] of [alike, name].entries())
        await keeper.granted(kind, of, owners[index] ?? owners[0], LINGERS)
      await other.refused(kind, alike, other.owner(), ONCE)
      await other.refused(kind, name, other.owner(), ONCE)
      await isAsked(1)
      await keeper.release(kind, alike, owners[0])
      await keeper.release(kind, name, owners[1])
      expect(asked).toBe(1)
      watch?.close()
    })

    test('a process that does not hear is told again', async () => {
      const owner = keeper.owner()
      await keeper.granted(kind, name, owner, LINGERS)
      for (const refused of [other.owner(), other.owner()])
        expect(await other.refused(kind, name, refused, ONCE)).toMatchObject({ lingers: true })
      const watch = await listen()
      expect(await other.refused(kind, name, other.owner(), ONCE)).toMatchObject({ lingers: true })
      await isAsked(1)
      await keeper.release(kind, name, owner)
      watch?.close()
    })

    test('while others stand in line no process may keep it', async () => {
      const watch = await listen()
      const first = await other.take(kind, name)
      const standing: Array<{ client: LineClient; owner: Owner }> = []
      for (const client of [place.client(), place.client()])
        standing.push({ client, owner: await client.joinLine(kind, name) })
      const mine = await keeper.joinLine(kind, name, { lingers: true })
      await other.release(kind, name, first)
      for (const { client, owner } of standing) {
        await client.passes(kind, name, owner)
      }
      // Let in by a release, it does not know who stands behind it.
      expect(await keeper.enters(kind, name, mine, { lingers: true })).not.toHaveProperty('lingers')
      await keeper.release(kind, name, mine)
      watch?.close()
    })

    test('what is handed over goes on lingering with the next owner', async () => {
      const watch = await listen()
      const [owner, next] = [keeper.owner(), keeper.owner()]
      await keeper.granted(kind, name, owner, LINGERS)
      await keeper.handOver(kind, name, owner, next, 20_000)
      expect(await other.refused(kind, name, other.owner(), ONCE)).toMatchObject({
        lingers: true,
        holder: next,
      })
      await isAsked(1)
      const last = keeper.owner()
      await keeper.handOver(kind, name, next, last, 20_000)
      expect(await other.refused(kind, name, other.owner(), ONCE)).toMatchObject({
        lingers: true,
        holder: last,
      })
      await keeper.release(kind, name, last)
      expect(asked).toBe(1)
      watch?.close()
    })

    test('a release ends it, or force: the next holder’s process is not asked, and nothing is left', async () => {
      const watch = await listen()
      const owner = keeper.owner()
      await keeper.granted(kind, name, owner, LINGERS)
      await keeper.release(kind, name, owner)
      if (place instanceof RedisPlace)
        expect((await place.server.keys(name)).filter((key) => !key.includes('token'))).toEqual([])
      await keeper.granted(kind, name, owner, ONCE)
      expect(await other.refused(kind, name, other.owner(), ONCE)).not.toHaveProperty('lingers')
      await keeper.release(kind, name, owner)
      expect(asked).toBe(0)
      await keeper.granted(kind, name, owner, LINGERS)
      await other.ports[kind].forceUnlock(name)
      await isAsked(1)
      await other.granted(kind, name, other.owner(), ONCE)
      expect(await keeper.refused(kind, name, keeper.owner(), ONCE)).not.toHaveProperty('lingers')
      await other.ports[kind].forceUnlock(name)
      watch?.close()
    })

    test('all that share the lock ask for it, and all of its process hear', async () => {
      const hears = kinds.map((each) => listen(keeper, each))
      const watches = await Promise.all(hears)
      const owner = keeper.owner()
      await keeper.granted(kind, name, owner, LINGERS)
      for (const each of kinds) await other.refused(each, name, other.owner(), ONCE)
      await isAsked(kinds.length)
      await keeper.release(kind, name, owner)
      for (const watch of watches) watch?.close()
    })
  },
)
