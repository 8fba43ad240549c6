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
    let owner: Owner
    let asked: number
    const watches: Array<Watch | undefined> = []
    beforeEach(() => {
      name = lockName()
      keeper = place.client()
      other = place.client()
      owner = keeper.owner()
      asked = 0
    })
    afterEach(async () => {
      for (const watch of watches.splice(0)) watch?.close()
      await place.close()
    })

    /** From now on the keeper's process hears who asks for what it keeps. */
    async function listen(on: Kind = kind): Promise<void> {
      const watch = keeper.ports[on].line?.hearAsks?.(name, () => {
        asked += 1
      })
      watches.push(watch)
      await watch?.confirmed
      expect(watch?.inForce).toBe(true)
    }

    async function isAsked(times: number): Promise<void> {
      await eventually(() => asked === times)
    }

    /** A single attempt is refused. */
    const attempt = () => other.refused(kind, name, other.owner(), ONCE)

    test('whoever is refused has its process told, once', async () => {
      await listen()
      expect(await keeper.granted(kind, name, owner, LINGERS)).toMatchObject({ lingers: true })
      expect(await attempt()).toMatchObject({ lingers: true, holder: owner })
      await isAsked(1)
      // Its process knows: what it does about that is told by the release.
      const next = await other.joinLine(kind, name)
      expect(await attempt()).toMatchObject({ lingers: true })
      await place.pass(2)
      await keeper.release(kind, name, owner)
      await other.passes(kind, name, next)
      expect(asked).toBe(1)
    })

    test('a message is for the lock that it is about alone, even if the name of another ends alike', async () => {
      await listen()
      const alike = `beside ${name}`
      const itsOwner = await keeper.take(kind, alike, LINGERS)
      await keeper.granted(kind, name, owner, LINGERS)
      await other.refused(kind, alike, other.owner(), ONCE)
      await attempt()
      await isAsked(1)
      await keeper.release(kind, alike, itsOwner)
      await keeper.release(kind, name, owner)
      expect(asked).toBe(1)
    })

    test('a process that does not hear is told again', async () => {
      await keeper.granted(kind, name, owner, LINGERS)
      for (let time = 0; time < 2; time += 1) expect(await attempt()).toMatchObject({ lingers: true })
      await listen()
      expect(await attempt()).toMatchObject({ lingers: true })
      await isAsked(1)
      await keeper.release(kind, name, owner)
    })

    test('while others stand in line no process may keep it', async () => {
      await listen()
      const first = await other.take(kind, name)
      const standing: Array<readonly [LineClient, Owner]> = []
      for (const client of [place.client(), place.client()])
        standing.push([client, await client.joinLine(kind, name)])
      const mine = await keeper.joinLine(kind, name, { lingers: true })
      await other.release(kind, name, first)
      for (const [client, waiting] of standing) await client.passes(kind, name, waiting)
      // Let in by a release, it does not know who stands behind it.
      expect(await keeper.enters(kind, name, mine, { lingers: true })).not.toHaveProperty('lingers')
      await keeper.release(kind, name, mine)
    })

    test('what is handed over goes on lingering with the next owner', async () => {
      await listen()
      await keeper.granted(kind, name, owner, LINGERS)
      for (const next of [keeper.owner(), keeper.owner()]) {
        await keeper.handOver(kind, name, owner, next, 20_000)
        expect(await attempt()).toMatchObject({ lingers: true, holder: next })
        await isAsked(1)
        owner = next
      }
      await keeper.release(kind, name, owner)
      expect(asked).toBe(1)
    })

    test('a release ends it, or force: nobody is told of a next holder without that wish, and nothing is left', async () => {
      await listen()
      await keeper.granted(kind, name, owner, LINGERS)
      await keeper.release(kind, name, owner)
      if (place instanceof RedisPlace)
        expect((await place.server.keys(name)).filter((key) => !key.includes('token'))).toEqual([])
      expect(await keeper.granted(kind, name, owner, ONCE)).not.toHaveProperty('lingers')
      expect(await attempt()).not.toHaveProperty('lingers')
      await keeper.release(kind, name, owner)
      expect(asked).toBe(0)
      await keeper.granted(kind, name, owner, LINGERS)
      await other.ports[kind].forceUnlock(name)
      await isAsked(1)
      await other.granted(kind, name, other.owner(), ONCE)
      expect(await keeper.refused(kind, name, keeper.owner(), ONCE)).not.toHaveProperty('lingers')
      await other.ports[kind].forceUnlock(name)
    })

    test('all that share the lock ask for it, and all of its process hear', async () => {
      await Promise.all(kinds.map((each) => listen(each)))
      await keeper.granted(kind, name, owner, LINGERS)
      for (const each of kinds) await other.refused(each, name, other.owner(), ONCE)
      await isAsked(kinds.length)
      await keeper.release(kind, name, owner)
    })
  },
)
