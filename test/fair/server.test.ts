/** What the scripts of the fair lock leave in a server, and how they take repetition, odd names and keys of another kind. */
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Owner } from '../../src/owner.js'
import { companionOf } from '../../src/redis/companion-key.js'
import { slotOf } from '../../src/redis/slot.js'
import { eventually } from '../setup/eventually.js'
import type { FairClient } from './client.js'
import { lockName, RedisPlace } from './places.js'

const places = [RedisPlace.standalone(), RedisPlace.cluster()]

const line = (name: string): string => companionOf('holdfast_fair_line', name)
const alive = (name: string): string => companionOf('holdfast_fair_alive', name)

describe.each(places.map((place) => ({ where: place.name, place })))('fair lock in $where', ({ place }) => {
  let name: string
  let holder: FairClient
  let waiter: FairClient
  beforeEach(() => {
    name = lockName()
    holder = place.client()
    waiter = place.client()
  })
  afterEach(() => place.close())
  afterAll(() => place.close())

  async function standing(): Promise<unknown> {
    return await place.ask(name, 'ZRANGE', line(name), 0, -1)
  }

  test('#5989 nothing is left when it has been held, waited for, left and released', async () => {
    const first = await holder.take(name)
    const leaving = await waiter.joinLine(name)
    const next = await waiter.joinLine(name)
    expect(await place.keys(name)).toEqual([name, line(name), alive(name)].sort())
    await waiter.port.abandon(waiter.request(name, leaving))
    expect(await standing()).toEqual([next])
    await holder.release(name, first)
    expect(await place.keys(name)).toEqual([name])
    await waiter.granted(name, next)
    await waiter.release(name, next)
    expect(await place.keys(name)).toEqual([])
  })

  test('H30: what is known of a place goes with it, while others stand in line on', async () => {
    const first = await holder.take(name)
    const stays = await waiter.joinLine(name)
    for (let count = 0; count < 3; count += 1) {
      const client = place.client()
      await client.port.abandon(client.request(name, await client.joinLine(name)))
    }
    expect(await place.ask(name, 'HKEYS', alive(name))).toEqual([stays])
    await holder.release(name, first)
    await waiter.granted(name, stays)
    await waiter.release(name, stays)
  })

  test('what a client that died has left ends by itself', async () => {
    const owner = await holder.take(name)
    await place.client({ waiterLeaseMs: 500 }).joinLine(name)
    await holder.granted(name, owner, { leaseMs: 500 })
    for (const key of await place.keys(name)) expect(await place.ask(name, 'PTTL', key)).toBeGreaterThan(0)
    await eventually(async () => (await place.keys(name)).length === 0)
  })

  test('a key lives as long as the longest place in it, whoever touched it last', async () => {
    await holder.take(name)
    await waiter.joinLine(name)
    await place.client({ waiterLeaseMs: 50 }).joinLine(name)
    for (const key of [line(name), alive(name)])
      expect(await place.ask(name, 'PTTL', key)).toBeGreaterThan(1_000)
  })

  test('#3829 a lock whose key is gone moves on when a place is kept up', async () => {
    await holder.take(name)
    const next = await waiter.joinLine(name)
    await place.ask(name, 'DEL', name)
    await waiter.keepUp(name)
    await waiter.toldOf(next)
    await waiter.granted(name, next)
  })

  test('a line that is gone is joined again', async () => {
    const first = await holder.take(name)
    const next = await waiter.joinLine(name)
    await place.ask(name, 'DEL', line(name), alive(name))
    expect((await waiter.keepUp(name)).askAgain).toBe(true)
    expect(await place.keys(name)).toEqual([name])
    await waiter.refused(name, next)
    await holder.release(name, first)
    await waiter.toldOf(next)
  })

  test('X1: every request may come twice, and counts once', async () => {
    const first = holder.owner()
    await holder.granted(name, first)
    await holder.granted(name, first)
    expect(await place.ask(name, 'HGET', name, first)).toBe('1')
    await holder.granted(name, first, { heldBefore: 1 })
    await holder.granted(name, first, { heldBefore: 1 })
    expect(await place.ask(name, 'HGET', name, first)).toBe('2')
    expect(await holder.release(name, first, 2)).toBe('still-held')
    expect(await holder.release(name, first, 2, true)).toBe('still-held')
    const next = await waiter.joinLine(name)
    const last = await waiter.joinLine(name)
    expect(await standing()).toEqual([next, last])
    expect(await holder.release(name, first)).toBe('released')
    expect(await holder.release(name, first, 1, true)).toBe('released')
    expect(await place.ask(name, 'HKEYS', name)).toEqual([next])
    expect(await standing()).toEqual([last])
    const given = waiter.request(name, next)
    await waiter.port.abandon(given)
    await waiter.port.abandon(given)
    expect(await place.ask(name, 'HKEYS', name)).toEqual([last])
    await waiter.keepUp(name)
    await waiter.keepUp(name)
    expect(await place.ask(name, 'HKEYS', name)).toEqual([last])
    expect(await waiter.release(name, next)).toBe('not-owner')
    await waiter.release(name, last)
  })

  test('X2: every script is sent again after SCRIPT FLUSH', async () => {
    const forget = (): Promise<void> => place.askAll('SCRIPT', 'FLUSH')
    await forget()
    const first = await holder.take(name)
    const next = await waiter.joinLine(name)
    await forget()
    await waiter.keepUp(name)
    await forget()
    await holder.release(name, first)
    await waiter.toldOf(next)
    await forget()
    await waiter.granted(name, next)
    await forget()
    expect(await waiter.port.forceUnlock(name)).toBe(true)
  })

  test('a plain lock of the name and a fair one exclude each other, and a plain release moves the line', async () => {
    const plain = holder.owner()
    const request = holder.request(name, plain)
    expect(await holder.plain.acquire(request)).toMatchObject({ outcome: 'granted' })
    const next = await waiter.joinLine(name)
    await holder.plain.release({ name, owner: plain, heldBefore: 1, repeated: false })
    await eventually(() => waiter.heard.includes(undefined))
    await waiter.keepUp(name)
    await waiter.toldOf(next)
    await waiter.granted(name, next)
    expect(await holder.plain.acquire(request)).toMatchObject({ outcome: 'busy', holder: next })
    // With nobody in line a fair release is announced to those who keep none.
    let told = 0
    const watch = holder.plain.watch(name, () => {
      told += 1
    })
    await watch.confirmed
    await waiter.release(name, next)
    await eventually(() => told === 1)
    watch.close()
  })

  test('how many clients wait: each counts once, the holder does not', async () => {
    const owner = await holder.take(name)
    expect(await holder.port.countWatchers(name)).toBe(0)
    await waiter.joinLine(name)
    await waiter.joinLine(name)
    await place.client().joinLine(name)
    expect(await holder.port.countWatchers(name)).toBe(2)
    await holder.release(name, owner)
  })

  test('keys of another kind are refused, and nothing is changed', async () => {
    await place.ask(name, 'SET', alive(name), 'no line')
    const owner = await holder.take(name)
    await expect(waiter.acquire(name, waiter.owner())).rejects.toMatchObject({ reason: 'wrong-type' })
    expect(await place.keys(name)).toEqual([name, alive(name)].sort())
    expect(await place.ask(name, 'HKEYS', name)).toEqual([owner])
    await place.ask(name, 'DEL', alive(name))
    await holder.release(name, owner)
    await place.ask(name, 'SET', name, 'no lock')
    await expect(waiter.acquire(name, waiter.owner())).rejects.toMatchObject({ reason: 'wrong-type' })
    await expect(waiter.port.forceUnlock(name)).rejects.toMatchObject({ reason: 'wrong-type' })
    expect(await place.keys(name)).toEqual([name])
    await place.ask(name, 'DEL', name)
  })

  test.each(['{tag}:a', 'a{', '}a', 'a{}b', '{}{x}', 'a}{b}', 'with spaces ✓'])(
    'the name %s',
    async (odd) => {
      const oddName = `${odd}${lockName()}`
      for (const key of [line(oddName), alive(oddName)]) expect(slotOf(key)).toBe(slotOf(oddName))
      const first = await holder.take(oddName)
      const next: Owner = await waiter.joinLine(oddName)
      await holder.release(oddName, first)
      await waiter.toldOf(next)
      await waiter.granted(oddName, next)
      // Nobody is in line, so it is announced: from here, where the node cannot.
      await holder.watch(oddName)
      await waiter.release(oddName, next)
      await eventually(() => holder.heard.length > 0)
      expect([...holder.errors, ...waiter.errors]).toEqual([])
      expect(await place.keys(oddName)).toEqual([])
    },
  )
})
