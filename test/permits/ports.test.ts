/** Permits and latches at their ports, in each place they are kept. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { permitIdsOf } from '../../src/base/identity/permit-ids.js'
import type { PermitExpirableSemaphorePort, PermitsPort } from '../../src/port/kind-ports.js'
import type { AcquireReply } from '../../src/port/lock-port.js'
import { lasting } from '../setup/lasting.js'
import { lockName, MemoryPlace, RedisPlace } from '../setup/port-place.js'
import { Acquisition, fresh, hear, LONG_MS, Ports } from './requests.js'

/** Shorter than who waits rests at most, longer than any pause of a busy machine. */
const SHORTER_MS = 20_000
const ENDLESS = Number.POSITIVE_INFINITY

const places = [new MemoryPlace(Ports), RedisPlace.standalone(Ports), RedisPlace.cluster(Ports)]

function lookOf(reply: AcquireReply): number {
  return (reply.outcome === 'busy' && reply.againMs) || Number.NaN
}

async function twice<Answer>(request: () => Promise<Answer>, answer?: Answer): Promise<void> {
  for (let time = 0; time < 2; time += 1) expect(await request()).toEqual(answer)
}

describe.each(places)('ports: $name', (place) => {
  let name: string
  let near: Ports
  let far: Ports
  beforeEach(() => {
    name = lockName()
    ;[near, far] = [place.client(), place.client()]
  })
  afterEach(() => place.close())

  describe.each([
    ['semaphore', 'semaphore'],
    ['permit-expirable semaphore', 'permits'],
  ] as const)(`%s: ${place.name}`, (_, kind) => {
    let one: PermitsPort
    let other: PermitsPort
    beforeEach(() => {
      ;[one, other] = [near[kind], far[kind]]
    })

    test.skipIf(place instanceof RedisPlace)('a grant tells how much room is left', async () => {
      await one.trySetPermits(name, 3, fresh())
      expect(await new Acquisition(one, name, 2).acquire()).toMatchObject({ outcome: 'granted', room: 1 })
      const last = await new Acquisition(one, name).acquire()
      expect(last).toMatchObject({ outcome: 'granted', room: 0 })
      const { fullForMs } = last.outcome === 'granted' ? last : { fullForMs: undefined }
      expect(fullForMs).toBeGreaterThan(0)
      expect(fullForMs).toBeLessThanOrEqual(LONG_MS)
    })

    test('W3: of many in line, who stands behind the first eight rests when a lease ends', async () => {
      await one.trySetPermits(name, 1, fresh())
      await new Acquisition(one, name, 1, SHORTER_MS).granted()
      const line = Array.from({ length: 9 }, () => {
        const at = place.client()[kind]
        const { request } = new Acquisition(at, name)
        return () => at.acquire({ ...request, waits: true })
      })
      for (const ask of line) await ask()
      const looksMs: number[] = []
      for (const ask of line) looksMs.push(lookOf(await ask()))
      expect(Math.max(...looksMs.slice(0, 8))).toBeLessThanOrEqual(SHORTER_MS + 2)
      expect(looksMs[8]).toBeGreaterThanOrEqual(30_000)
    })

    test('X1: an acquire, a release and a renewal that come twice count once', async () => {
      await one.trySetPermits(name, 5, fresh())
      const two = new Acquisition(one, name, 2)
      await twice(() => two.outcome(), 'granted')
      expect(await one.availablePermits(name)).toBe(3)
      expect(await two.renew(LONG_MS)).toBe(true)
      expect(await two.release()).toBe('released')
      expect(await two.release(true)).toBe('released')
      expect(await two.release()).toBe('not-owner')
      expect(await two.renew(LONG_MS)).toBe(false)
      expect(await one.availablePermits(name)).toBe(5)
    })

    test('X1: a number that is changed by the same request twice is changed once', async () => {
      const [request, added, reduced] = [fresh(), fresh(), fresh()]
      await twice(() => one.trySetPermits(name, 5, request), true)
      await twice(() => one.addPermits(name, 4, added))
      expect(await one.availablePermits(name)).toBe(9)
      await twice(() => one.addPermits(name, -12, reduced))
      expect(await one.availablePermits(name)).toBe(-3)
      expect(await new Acquisition(one, name).outcome()).toBe('busy')
    })

    test('X1: what is abandoned leaves nothing, whether or not it was carried out', async () => {
      await one.trySetPermits(name, 5, fresh())
      await (await new Acquisition(one, name, 3).granted()).abandon()
      await new Acquisition(one, name, 3).abandon()
      expect(await one.availablePermits(name)).toBe(5)
    })

    test('a lease that ends gives its permits back, once, and is not revived', async () => {
      await other.trySetPermits(name, 3, fresh())
      const leaseMs = lasting(1_200)
      const dead = await new Acquisition(one, name, 2, leaseMs).granted()
      const busy = await new Acquisition(other, name, 2).acquire()
      const { remainingMs } = busy.outcome === 'busy' ? busy : { remainingMs: Number.NaN }
      expect(remainingMs).toBeLessThanOrEqual(leaseMs)
      await place.pass(leaseMs + 10)
      expect(await dead.renew(LONG_MS)).toBe(false)
      expect(await new Acquisition(other, name, 3).outcome()).toBe('granted')
      expect(await dead.release()).toBe('not-owner')
      expect(await other.availablePermits(name)).toBe(0)
    })

    test('a renewal moves the end of the lease, and never brings it closer', async () => {
      await one.trySetPermits(name, 2, fresh())
      const leaseMs = lasting(1_200)
      const short = await new Acquisition(one, name, 1, leaseMs).granted()
      const long = await new Acquisition(one, name).granted()
      expect(await short.renew(LONG_MS)).toBe(true)
      expect(await long.renew(20)).toBe(true)
      await place.pass(leaseMs + 10)
      expect(await one.availablePermits(name)).toBe(0)
      for (const each of [short, long]) expect(await each.release()).toBe('released')
    })

    test('inspect and list show what is taken and for how long; forced open, all of it comes back', async () => {
      await one.trySetPermits(name, 3, fresh())
      expect(await one.inspect(name)).toEqual({ name, owners: [], remainingMs: 0 })
      await new Acquisition(one, name, 2).granted()
      const { owners, remainingMs } = await one.inspect(name)
      expect(owners.reduce((sum, { holds }) => sum + holds, 0)).toBe(2)
      expect(remainingMs).toBeGreaterThan(0)
      expect(remainingMs).toBeLessThanOrEqual(LONG_MS)
      const listed: string[] = []
      for await (const each of one.list(`${name}*`)) listed.push(each.name)
      expect(listed).toEqual([name])
      expect(await one.forceUnlock(name)).toBe(true)
      expect(await one.forceUnlock(name)).toBe(false)
      expect(await one.availablePermits(name)).toBe(3)
    })
  })

  describe(`permits by their ids: ${place.name}`, () => {
    let permits: PermitExpirableSemaphorePort
    let others: PermitExpirableSemaphorePort
    beforeEach(() => {
      ;[permits, others] = [near.permits, far.permits]
    })

    test('each is given back by its id, by anybody, and the hold gives back the rest', async () => {
      await permits.trySetPermits(name, 3, fresh())
      const hold = await new Acquisition(permits, name, 3).granted()
      const ids = permitIdsOf(hold.owner, 3)
      expect((await permits.inspect(name)).owners.map(({ owner }) => owner).sort()).toEqual(
        ids.map((id) => `${id}:1`),
      )
      expect(await others.releasePermits(name, ids.slice(0, 1), fresh())).toBe(true)
      expect(await others.availablePermits(name)).toBe(1)
      expect(await others.acquiredPermits(name)).toBe(2)
      expect(await hold.renew(LONG_MS)).toBe(true)
      expect(await hold.release()).not.toBe('not-owner')
      expect(await permits.availablePermits(name)).toBe(3)
    })

    test('several ids are given back together or not at all; the same request counts once', async () => {
      await permits.trySetPermits(name, 3, fresh())
      const ids = permitIdsOf((await new Acquisition(permits, name, 2).granted()).owner, 2)
      expect(await permits.releasePermits(name, [...ids, '0'.repeat(32)], fresh())).toBe(false)
      expect(await permits.availablePermits(name)).toBe(1)
      const request = fresh()
      await twice(() => permits.releasePermits(name, ids, request), true)
      expect(await permits.releasePermits(name, ids, fresh())).toBe(false)
      expect(await permits.availablePermits(name)).toBe(3)
    })

    test('a lease is made longer, shorter or endless by the id, and read', async () => {
      await permits.trySetPermits(name, 1, fresh())
      const [id = ''] = permitIdsOf((await new Acquisition(permits, name, 1, 60_000).granted()).owner, 1)
      expect(await permits.leaseTime(name, id)).toBeLessThanOrEqual(60_000)
      expect(await permits.updateLeaseTime(name, id, LONG_MS, fresh())).toBe(true)
      expect(await permits.leaseTime(name, id)).toBeGreaterThan(60_000)
      expect(await permits.updateLeaseTime(name, id, ENDLESS, fresh())).toBe(true)
      expect(await permits.leaseTime(name, id)).toBe(ENDLESS)
      const busy = { outcome: 'busy', remainingMs: ENDLESS }
      expect(await new Acquisition(permits, name).acquire()).toMatchObject(busy)
      expect(await permits.updateLeaseTime(name, id, 50, fresh())).toBe(true)
      await place.pass(60)
      expect(await permits.leaseTime(name, id)).toBe(0)
      expect(await permits.updateLeaseTime(name, id, 50, fresh())).toBe(false)
      expect(await permits.availablePermits(name)).toBe(1)
    })

    test('X1: a repeated request that sets how many there are, or a lease, leaves what others changed meanwhile', async () => {
      const [setting, leasing] = [fresh(), fresh()]
      await permits.setPermits(name, 5, setting)
      await others.addPermits(name, 3, fresh())
      await permits.setPermits(name, 5, setting)
      expect(await permits.permits(name)).toBe(8)
      const [id = ''] = permitIdsOf((await new Acquisition(others, name).granted()).owner, 1)
      expect(await permits.updateLeaseTime(name, id, 60_000, leasing)).toBe(true)
      expect(await others.updateLeaseTime(name, id, LONG_MS, fresh())).toBe(true)
      expect(await permits.updateLeaseTime(name, id, 60_000, leasing)).toBe(true)
      expect(await permits.leaseTime(name, id)).toBeGreaterThan(60_000)
      expect(await others.releasePermits(name, [id], fresh())).toBe(true)
      expect(await permits.updateLeaseTime(name, id, 60_000, leasing)).toBe(true)
    })
  })

  describe(`latch: ${place.name}`, () => {
    const open = { outcome: 'granted', room: ENDLESS }

    test('it is open where no count is set, and closed until that is zero', async () => {
      const { latch } = near
      expect(await new Acquisition(latch, name).acquire()).toEqual(open)
      expect(await latch.trySetCount(name, 2, fresh())).toBe(true)
      expect(await latch.trySetCount(name, 3, fresh())).toBe(false)
      const closed = { outcome: 'busy', remainingMs: ENDLESS }
      expect(await new Acquisition(latch, name).acquire()).toMatchObject(closed)
      expect(await latch.countDown(name, fresh())).toBe(1)
      expect(await latch.inspect(name)).toMatchObject({ remainingMs: ENDLESS })
      expect(await latch.countDown(name, fresh())).toBe(0)
      expect(await new Acquisition(latch, name).acquire()).toEqual(open)
      expect(await latch.countDown(name, fresh())).toBe(0)
      expect(await latch.count(name)).toBe(0)
      expect(await latch.inspect(name)).toEqual({ name, owners: [], remainingMs: 0 })
    })

    test('X1: what is sent twice counts once', async () => {
      const { latch } = near
      const [set, down, last, gone] = [fresh(), fresh(), fresh(), fresh()]
      await twice(() => latch.trySetCount(name, 3, set), true)
      await twice(() => latch.countDown(name, down), 2)
      await latch.countDown(name, fresh())
      await twice(() => latch.countDown(name, last), 0)
      await latch.trySetCount(name, 1, fresh())
      expect(await latch.countDown(name, last)).toBe(0)
      expect(await latch.count(name)).toBe(1)
      await twice(() => latch.delete(name, gone), true)
      expect(await latch.delete(name, fresh())).toBe(false)
    })

    test.each(['plain', '{tag}:with', 'a{b'])('opening and removing reach who watches: %s', async (form) => {
      const { latch } = near
      const formed = `${form}:${name}`
      const heard = await hear(far.latch, formed)
      await latch.trySetCount(formed, 1, fresh())
      await latch.countDown(formed, fresh())
      await latch.trySetCount(formed, 5, fresh())
      await latch.delete(formed, fresh())
      await expect.poll(() => heard.length).toBe(4)
      expect(heard).toEqual([undefined, { room: ENDLESS }, undefined, { room: ENDLESS }])
      expect(await latch.countWatchers(formed)).toBe(1)
    })
  })

  test('semaphore: what is drained is drained once, and a debt is settled by it', async () => {
    const [{ semaphore }, request] = [near, fresh()]
    expect(await semaphore.drainPermits(name, fresh())).toBe(0)
    await semaphore.trySetPermits(name, 10, fresh())
    await new Acquisition(semaphore, name, 3).granted()
    expect(await semaphore.drainPermits(name, request)).toBe(7)
    await semaphore.addPermits(name, 2, fresh())
    expect(await semaphore.drainPermits(name, request)).toBe(7)
    expect(await semaphore.availablePermits(name)).toBe(2)
    await semaphore.addPermits(name, -5, fresh())
    expect(await semaphore.drainPermits(name, fresh())).toBe(-3)
    expect(await semaphore.availablePermits(name)).toBe(0)
  })
})
