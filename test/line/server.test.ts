/** What the scripts of the line leave in a server, and how they take repetition, odd names and keys of another kind. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Owner } from '../../src/base/identity/owner.js'
import { companionOf } from '../../src/stores/redis/keys/companion-key.js'
import { lasting } from '../setup/lasting.js'
import { LineClient } from '../setup/port-client.js'
import { lockName, RedisPlace } from '../setup/port-place.js'

/** So long a process may be away, and what is known of it is kept. */
const AWAY_MS = 10_000

const places = [RedisPlace.standalone(LineClient), RedisPlace.cluster(LineClient)]
const kinds = ['lock', 'fair'] as const

const line = (name: string): string => companionOf('holdfast_line', name)
const processes = (name: string): string => companionOf('holdfast_processes', name)

describe.each(places.flatMap((place) => kinds.map((kind) => ({ where: place.name, place, kind }))))(
  '$kind in $where',
  ({ place, kind }) => {
    const { server } = place
    let name: string
    let holder: LineClient
    let waiter: LineClient
    beforeEach(() => {
      name = lockName()
      holder = place.client()
      waiter = place.client()
    })
    afterEach(() => place.close())
    afterAll(() => place.close())

    const ask = (command: string, ...args: (string | number)[]): Promise<unknown> =>
      server.ask(name, command, ...args)
    const standing = (): Promise<unknown> => ask('ZRANGE', line(name), 0, -1)

    async function isHeldBy(owner: Owner): Promise<void> {
      expect(await ask('HKEYS', name)).toEqual(expect.arrayContaining([owner, 'since']))
    }

    test('#5989 nothing is left when it has been held, waited for, left and released', async () => {
      const first = await holder.take(kind, name)
      const leaving = await waiter.joinLine(kind, name)
      const next = await waiter.joinLine(kind, name)
      expect(await server.keys(name)).toEqual([name, line(name), processes(name)].sort())
      await waiter.abandon(kind, name, leaving)
      expect(await standing()).toEqual([`x:${next}`])
      await holder.release(kind, name, first)
      expect(await server.keys(name)).toEqual([name, processes(name)].sort())
      await waiter.passes(kind, name, next)
      expect(await server.keys(name)).toEqual([])
    })

    test('X1, L3: a hand-over that comes twice leaves the whole lease, from the second one on', async () => {
      const from = await holder.take(kind, name)
      const request = { name, from, owner: holder.owner(), heldBefore: 0, leaseMs: 30_000 }
      expect(await holder.ports[kind].handOver(request)).toMatchObject({ outcome: 'granted' })
      // As if time had passed.
      await ask('PEXPIRE', name, 10_000)
      expect(await holder.ports[kind].handOver(request)).toMatchObject({ outcome: 'granted' })
      expect(await ask('PTTL', name)).toBeGreaterThan(10_000)
      await holder.release(kind, name, request.owner)
    })

    test('H30: what is known of a process goes with its last place, while others stand in line on', async () => {
      const first = await holder.take(kind, name)
      const stays = await waiter.joinLine(kind, name)
      for (let count = 0; count < 3; count += 1) {
        const client = place.client()
        const gone = [await client.joinLine(kind, name), await client.joinLine(kind, name)]
        for (const owner of gone) await client.abandon(kind, name, owner)
      }
      expect(await ask('HKEYS', processes(name))).toEqual([waiter.clientId])
      await holder.release(kind, name, first)
      await waiter.passes(kind, name, stays)
    })

    test('H15: a place that is in line although its call has left: what is granted to it is given back at once', async () => {
      const first = await holder.take(kind, name)
      const gone = await waiter.joinLine(kind, name)
      const next = place.client()
      const stays = await next.joinLine(kind, name)
      const last = await waiter.joinLine(kind, name)
      await waiter.abandon(kind, name, gone)
      // As by a copy of its request that comes late.
      await ask('ZADD', line(name), 0, `x:${gone}`)
      const known = String(await ask('HGET', processes(name), waiter.clientId))
      await ask('HSET', processes(name), waiter.clientId, known.replace(/ 1$/, ' 2'))
      await holder.release(kind, name, first)
      await next.passes(kind, name, stays)
      await waiter.passes(kind, name, last)
      expect(await server.keys(name)).toEqual([])
    })

    test('who has left and come again keeps what is granted to it', async () => {
      const first = await holder.take(kind, name)
      const owner = await waiter.joinLine(kind, name)
      await waiter.abandon(kind, name, owner)
      await waiter.refused(kind, name, owner)
      await holder.release(kind, name, first)
      await waiter.enters(kind, name, owner)
      expect(await holder.holders('lock', name)).toEqual([owner])
      await waiter.release(kind, name, owner)
    })

    test('what a client that died has left ends by itself', async () => {
      const firstLeaseMs = 500
      await holder.take(kind, name, { leaseMs: lasting(2_000) })
      await place.client({ firstLeaseMs }).joinLine(kind, name)
      expect(await ask('PTTL', name)).toBeGreaterThan(0)
      for (const key of [line(name), processes(name)]) {
        expect(await ask('PTTL', key)).toBeGreaterThan(0)
        expect(await ask('PTTL', key)).toBeLessThanOrEqual(firstLeaseMs + AWAY_MS)
      }
    })

    test('a key lives as long as the place that is looked after last, whoever touched it last', async () => {
      await holder.take(kind, name)
      const next = await waiter.joinLine(kind, name)
      // From now on it looks when the lease of the holder ends.
      await waiter.refused(kind, name, next)
      await place.client({ firstLeaseMs: 50 }).joinLine(kind, name)
      for (const key of [line(name), processes(name)])
        expect(await ask('PTTL', key)).toBeGreaterThan(2 * AWAY_MS)
    })

    test.each([
      { what: 'both keys are', del: () => [line(name), processes(name)] },
      { what: 'the line alone is', del: () => [line(name)] },
      { what: 'the processes alone are', del: () => [processes(name)] },
    ])(
      'H16: a place that is lost is noticed although its client has called again since ($what gone)',
      async ({ del }) => {
        const first = await holder.take(kind, name)
        const lost = await waiter.joinLine(kind, name)
        const other = await waiter.joinLine(kind, name)
        await ask('DEL', ...del())
        const later = await waiter.joinLine(kind, name)
        await waiter.hears(`${kind} places gone`)
        await waiter.refused(kind, name, lost)
        waiter.heard.length = 0
        await waiter.refused(kind, name, other)
        await waiter.refused(kind, name, later)
        expect(waiter.heard).toEqual([])
        await holder.release(kind, name, first)
        for (const owner of [later, lost, other]) {
          await waiter.passes(kind, name, owner)
        }
        expect(await server.keys(name)).toEqual([])
      },
    )

    test('what is known of a process ends with the line, and with it a place whose process is unknown', async () => {
      await holder.take(kind, name)
      const gone = await waiter.joinLine(kind, name)
      await ask('HDEL', processes(name), waiter.clientId)
      const one = place.client()
      await one.joinLine(kind, name)
      // It does not hear that places are gone again with every answer.
      for (let count = 0; count < 2; count += 1) await waiter.refused(kind, name, gone)
      expect(waiter.heard).not.toContain(`${kind} places gone`)
      await ask('DEL', line(name))
      const next = place.client()
      const owner = await next.joinLine(kind, name)
      expect(await ask('HKEYS', processes(name))).toEqual([next.clientId])
      expect(await standing()).toEqual([`x:${owner}`])
    })

    test('W8: whose turn it is by a clock that was set back since counts for nothing', async () => {
      const first = await holder.take(kind, name)
      const next = await waiter.joinLine(kind, name)
      await place.client().listen('announced', name)
      const hour = 3_600_000
      await ask('HSET', processes(name), ':ours', Math.round((await server.timeMs()) + hour))
      await ask('DEL', name)
      await waiter.granted(kind, name, next)
      const last = await holder.joinLine(kind, name)
      await ask('HSET', processes(name), ':ours', Math.round((await server.timeMs()) + hour))
      await waiter.release(kind, name, next)
      await holder.enters(kind, name, last)
      expect(Number(await ask('HGET', processes(name), ':ours'))).toBeLessThanOrEqual(await server.timeMs())
      expect(await holder.release(kind, name, first)).toBe('not-owner')
      await holder.release(kind, name, last)
    })

    test('W8: a turn of clients outside the line is as long as they are many, per process in line', async () => {
      const first = await holder.take(kind, name)
      const next = await waiter.joinLine(kind, name)
      await place.client().listen('announced', name)
      const before = Math.round((await server.timeMs()) - 1_000)
      // What else is kept beside the processes is none of them.
      const beside = [':last', 'x:none:1', ':unclaimed', 'x:none:1']
      await ask('HSET', processes(name), ':ours', before, ...beside)
      const releasedAt = await server.timeMs()
      await holder.release(kind, name, first)
      const until = Number(await ask('HGET', processes(name), ':ours'))
      expect(until - releasedAt).toBeGreaterThan(23)
      await waiter.hears(`${kind} look`)
      await place.pass(25)
      await waiter.granted(kind, name, next)
      await waiter.release(kind, name, next)
    })

    test('X1: every request may come twice, and counts once', async () => {
      const first = holder.owner()
      for (const heldBefore of [0, 1]) {
        for (let time = 0; time < 2; time += 1) await holder.granted(kind, name, first, { heldBefore })
        expect(await ask('HGET', name, first)).toBe(String(heldBefore + 1))
      }
      for (const repeated of [false, true])
        expect(await holder.release(kind, name, first, 2, repeated)).toBe('still-held')
      const next = await waiter.joinLine(kind, name)
      const last = await waiter.joinLine(kind, name)
      await waiter.refused(kind, name, next)
      expect(await standing()).toEqual([`x:${next}`, `x:${last}`])
      for (const repeated of [false, true])
        expect(await holder.release(kind, name, first, 1, repeated)).toBe('released')
      await isHeldBy(next)
      expect(await standing()).toEqual([`x:${last}`])
      // Asked for, what was granted in line is confirmed.
      for (let time = 0; time < 2; time += 1) await waiter.granted(kind, name, next, { leaseMs: 60_000 })
      await isHeldBy(next)
      expect(await ask('HGET', name, next)).toBe('1')
      for (let time = 0; time < 2; time += 1) await waiter.abandon(kind, name, next)
      await isHeldBy(last)
      expect(await waiter.release(kind, name, next)).toBe('not-owner')
      await waiter.release(kind, name, last)
      expect(await server.keys(name)).toEqual([])
    })

    test('X2: every script is sent again after SCRIPT FLUSH', async () => {
      const forget = (): Promise<void> => server.askAll('SCRIPT', 'FLUSH')
      await forget()
      const earlier = await holder.take(kind, name)
      await forget()
      const first = holder.owner()
      expect(await holder.handOver(kind, name, earlier, first, 20_000)).toMatchObject({ outcome: 'granted' })
      const next = await waiter.joinLine(kind, name)
      await forget()
      await waiter.refused(kind, name, next)
      await forget()
      await holder.release(kind, name, first)
      await waiter.enters(kind, name, next)
      await forget()
      expect(await waiter.ports[kind].forceUnlock(name)).toBe(true)
    })

    test('keys of another type are refused, and nothing is changed', async () => {
      const wrongType = { reason: 'wrong-type' }
      const owner = await holder.take(kind, name)
      for (const key of [line(name), processes(name)]) {
        await ask('SET', key, 'no line')
        for (const call of [
          () => waiter.acquire(kind, name, waiter.owner()),
          // Whoever may wait there could not be told that it is free.
          () => holder.release(kind, name, owner),
          () => holder.abandon(kind, name, owner),
          () => holder.handOver(kind, name, owner, holder.owner(), 1_000),
          () => waiter.ports[kind].forceUnlock(name),
        ])
          await expect(call()).rejects.toMatchObject(wrongType)
        expect(await server.keys(name)).toEqual([name, key].sort())
        await isHeldBy(owner)
        expect(await ask('PTTL', name)).toBeGreaterThan(1_000)
        await ask('DEL', key)
      }
      await holder.release(kind, name, owner)
      await ask('SET', name, 'no lock')
      await expect(waiter.acquire(kind, name, waiter.owner())).rejects.toMatchObject(wrongType)
      await expect(waiter.ports[kind].forceUnlock(name)).rejects.toMatchObject(wrongType)
      expect(await server.keys(name)).toEqual([name])
      await ask('DEL', name)
    })
  },
)
