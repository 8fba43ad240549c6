/** The rules of the line, in every place it can be kept. */
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.js'
import type { FairClient } from './client.js'
import { lockName, MemoryPlace, RedisPlace } from './places.js'

const places = [new MemoryPlace(), RedisPlace.standalone(), RedisPlace.cluster()]

describe.each(places.map((place) => ({ where: place.name, place })))('fair line ($where)', ({ place }) => {
  afterEach(() => place.close())
  afterAll(() => place.close())

  /** The only news each has heard is that its own owner has the lock. */
  function heardOnly(client: FairClient, ...owners: string[]): void {
    expect(client.heard).toEqual(owners)
  }

  test('first come, first served, over clients; each release tells one client only', async () => {
    const name = lockName()
    const [holder, one, two] = [place.client(), place.client(), place.client()]
    const first = await holder.take(name)
    const waiting = [
      { client: two, owner: await two.joinLine(name) },
      { client: one, owner: await one.joinLine(name) },
      { client: two, owner: await two.joinLine(name) },
      { client: holder, owner: await holder.joinLine(name) },
    ]
    two.heard.length = 0
    let [current, currentOwner] = [holder, first]
    for (const { client, owner } of waiting) {
      expect(await current.release(name, currentOwner)).toBe('released')
      await client.toldOf(owner)
      await client.granted(name, owner)
      expect((await place.client().port.inspect(name)).owners).toEqual([{ owner, holds: 1 }])
      ;[current, currentOwner] = [client, owner]
    }
    heardOnly(one, waiting[1]?.owner ?? '')
    heardOnly(holder, waiting[3]?.owner ?? '')
    expect(new Set(two.heard)).toEqual(new Set([waiting[0]?.owner, waiting[2]?.owner]))
    expect(await current.release(name, currentOwner)).toBe('released')
  })

  test('a caller that does not wait gets no place, and does not pass those who do', async () => {
    const name = lockName()
    const [holder, waiter] = [place.client(), place.client()]
    const first = await holder.take(name)
    await holder.refused(name, holder.owner(), { waits: false })
    const next = await waiter.joinLine(name)
    await holder.release(name, first)
    await holder.refused(name, holder.owner(), { waits: false })
    await waiter.toldOf(next)
    await waiter.granted(name, next)
    await waiter.release(name, next)
    const free = holder.owner()
    await holder.granted(name, free, { waits: false })
    await holder.release(name, free)
  })

  test('a lease that ends unannounced: whoever keeps up its place next moves the line on', async () => {
    const name = lockName()
    const [holder, one, two] = [place.client(), place.client(), place.client()]
    const dying = await holder.take(name)
    const first = await one.joinLine(name)
    await two.joinLine(name)
    await holder.granted(name, dying, { leaseMs: 40 })
    await place.pass(50)
    // Not the one whose turn it is, and it does not help itself.
    const { askAgain } = await two.keepUp(name)
    expect(askAgain).toBe(false)
    await one.toldOf(first)
    await one.granted(name, first)
    expect(two.heard).toEqual([])
    await one.release(name, first)
  })

  test('#2099 a free lock goes to the first in line, whoever asks', async () => {
    const name = lockName()
    const [holder, one, two] = [place.client(), place.client(), place.client()]
    const dying = await holder.take(name)
    const first = await one.joinLine(name)
    await holder.granted(name, dying, { leaseMs: 40 })
    await place.pass(50)
    const late = two.owner()
    expect(await two.acquire(name, late)).toMatchObject({ outcome: 'busy', holder: first })
    await one.toldOf(first)
    await one.granted(name, first)
    await one.release(name, first)
  })

  test('#5019 a dead waiter is passed over', async () => {
    const name = lockName()
    const [holder, dead, alive] = [place.client(), place.client({ waiterLeaseMs: 50 }), place.client()]
    const first = await holder.take(name)
    for (let count = 0; count < 3; count += 1) await dead.joinLine(name)
    const next = await alive.joinLine(name)
    await place.pass(60)
    await holder.release(name, first)
    await alive.toldOf(next)
    await alive.granted(name, next)
    expect(dead.heard).toEqual([])
    await alive.release(name, next)
  })

  test('a waiter that dies with its place in force costs its lease once, however many it had in line', async () => {
    const name = lockName()
    const [holder, alive] = [place.client(), place.client()]
    const dead = place.client({ waiterLeaseMs: 600 })
    const first = await holder.take(name)
    const lost = [await dead.joinLine(name), await dead.joinLine(name)]
    const next = await alive.joinLine(name)
    await holder.release(name, first)
    const { owners, remainingMs } = await alive.port.inspect(name)
    expect(owners).toEqual([{ owner: lost[0], holds: 1 }])
    expect(remainingMs).toBeLessThanOrEqual(600)
    await place.pass(remainingMs + 5)
    await alive.keepUp(name)
    await alive.toldOf(next)
    // Only the first place of the dead client has cost anything.
    expect(dead.heard).not.toContain(lost[1])
    await alive.granted(name, next)
    await alive.release(name, next)
  })

  test('#3004 places that have lapsed are asked for again, and whoever was passed over is served in the end', async () => {
    const name = lockName()
    const [holder, slow, other] = [place.client(), place.client({ waiterLeaseMs: 600 }), place.client()]
    const first = await holder.take(name)
    const late = await slow.joinLine(name)
    const next = await other.joinLine(name)
    expect((await slow.keepUp(name)).askAgain).toBe(false)
    await place.pass(610)
    await holder.release(name, first)
    await other.toldOf(next)
    expect((await slow.keepUp(name)).askAgain).toBe(true)
    await slow.refused(name, late)
    expect((await slow.keepUp(name)).askAgain).toBe(false)
    await other.granted(name, next)
    await other.release(name, next)
    await slow.toldOf(late)
    await slow.granted(name, late)
    await slow.release(name, late)
  })

  test('H16: a place that has lapsed is noticed although its client has called again since', async () => {
    const name = lockName()
    const [holder, slow, other] = [place.client(), place.client({ waiterLeaseMs: 600 }), place.client()]
    const first = await holder.take(name)
    const late = await slow.joinLine(name)
    const next = await other.joinLine(name)
    await place.pass(610)
    await holder.release(name, first)
    await other.toldOf(next)
    const later = await slow.joinLine(name)
    expect((await slow.keepUp(name)).askAgain).toBe(true)
    await slow.refused(name, late)
    expect((await slow.keepUp(name)).askAgain).toBe(false)
    await other.granted(name, next)
    await other.release(name, next)
    for (const owner of [later, late]) {
      await slow.toldOf(owner)
      await slow.granted(name, owner)
      await slow.release(name, owner)
    }
  })

  test('#4153 who leaves the line is not granted the lock', async () => {
    const name = lockName()
    const [holder, leaver, stayer] = [place.client(), place.client(), place.client()]
    const first = await holder.take(name)
    const gone = await leaver.joinLine(name)
    const next = await stayer.joinLine(name)
    await leaver.port.abandon(leaver.request(name, gone))
    await holder.release(name, first)
    await stayer.toldOf(next)
    expect(leaver.heard).toEqual([])
    await stayer.granted(name, next)
    await stayer.release(name, next)
  })

  test('who leaves with the lock granted gives it to the next', async () => {
    const name = lockName()
    const [holder, leaver, stayer] = [place.client(), place.client(), place.client()]
    const first = await holder.take(name)
    const gone = await leaver.joinLine(name)
    const next = await stayer.joinLine(name)
    await holder.release(name, first)
    await leaver.toldOf(gone)
    await leaver.port.abandon(leaver.request(name, gone))
    await stayer.toldOf(next)
    await stayer.granted(name, next)
    await stayer.release(name, next)
    expect(await holder.port.inspect(name)).toMatchObject({ owners: [], remainingMs: 0 })
  })

  test('one that is forced open goes to the next, and all are told', async () => {
    const name = lockName()
    const [holder, waiter] = [place.client(), place.client()]
    const first = await holder.take(name)
    await holder.watch(name)
    const next = await waiter.joinLine(name)
    expect(await place.client().port.forceUnlock(name)).toBe(true)
    await waiter.toldOf(next)
    await eventually(() => holder.heard.length > 0)
    expect(await holder.release(name, first)).toBe('not-owner')
    await waiter.granted(name, next)
    await waiter.release(name, next)
    expect(await holder.port.forceUnlock(name)).toBe(false)
  })
})
