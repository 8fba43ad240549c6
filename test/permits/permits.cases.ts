import { describe, expect, test } from 'vitest'
import type { PermitsPort } from '../../src/port/kind-ports.js'
import type { AcquireReply, AcquireRequest } from '../../src/port/lock-port.js'
import { lasting } from '../setup/lasting.js'
import { lockName, RedisPlace } from '../setup/port-place.js'
import { Acquisition, fresh, LONG_MS, type Place, type Ports } from './requests.js'

/** Shorter than who waits rests at most, longer than any pause of a busy machine. */
const SHORTER_MS = 20_000

function waiting({ request }: Acquisition): AcquireRequest {
  return { ...request, waits: true }
}

function lookOf(reply: AcquireReply): number {
  return (reply.outcome === 'busy' && reply.againMs) || Number.NaN
}

export function permitsCases(place: Place, kind: string, portOf: (ports: Ports) => PermitsPort): void {
  const port = (): PermitsPort => portOf(place.client())

  describe(`${kind}: ${place.name}`, () => {
    test.skipIf(place instanceof RedisPlace)('a grant tells how much room is left', async () => {
      const [one, name] = [port(), lockName()]
      await one.trySetPermits(name, 3, fresh())
      expect(await new Acquisition(one, name, 2).acquire()).toMatchObject({ outcome: 'granted', room: 1 })
      const last = await new Acquisition(one, name).acquire()
      expect(last).toMatchObject({ outcome: 'granted', room: 0 })
      const { fullForMs } = last.outcome === 'granted' ? last : { fullForMs: undefined }
      expect(fullForMs).toBeGreaterThan(0)
      expect(fullForMs).toBeLessThanOrEqual(LONG_MS)
    })

    test('W3: of many in line, who stands behind the first eight rests when a lease ends', async () => {
      const [one, name] = [port(), lockName()]
      await one.trySetPermits(name, 1, fresh())
      await new Acquisition(one, name, 1, SHORTER_MS).granted()
      const line = Array.from({ length: 9 }, () => ({
        at: port(),
        request: waiting(new Acquisition(one, name)),
      }))
      for (const { at, request } of line) await at.acquire(request)
      const looksMs: number[] = []
      for (const { at, request } of line) looksMs.push(lookOf(await at.acquire(request)))
      expect(Math.max(...looksMs.slice(0, 8))).toBeLessThanOrEqual(SHORTER_MS + 2)
      expect(looksMs[8]).toBeGreaterThanOrEqual(30_000)
    })

    test('X1: an acquire, a release and a renewal that come twice count once', async () => {
      const [one, name] = [port(), lockName()]
      await one.trySetPermits(name, 5, fresh())
      const two = new Acquisition(one, name, 2)
      expect(await two.outcome()).toBe('granted')
      expect(await two.outcome()).toBe('granted')
      expect(await one.availablePermits(name)).toBe(3)
      expect(await two.renew(LONG_MS)).toBe(true)
      expect(await two.release()).toBe('released')
      expect(await two.release(true)).toBe('released')
      expect(await two.release()).toBe('not-owner')
      expect(await two.renew(LONG_MS)).toBe(false)
      expect(await one.availablePermits(name)).toBe(5)
    })

    test('X1: a number that is changed by the same request twice is changed once', async () => {
      const [one, name, request] = [port(), lockName(), fresh()]
      expect(await one.trySetPermits(name, 5, request)).toBe(true)
      expect(await one.trySetPermits(name, 5, request)).toBe(true)
      const [added, reduced] = [fresh(), fresh()]
      for (let time = 0; time < 2; time += 1) await one.addPermits(name, 4, added)
      expect(await one.availablePermits(name)).toBe(9)
      for (let time = 0; time < 2; time += 1) await one.addPermits(name, -12, reduced)
      expect(await one.availablePermits(name)).toBe(-3)
      expect(await new Acquisition(one, name).outcome()).toBe('busy')
    })

    test('X1: what is abandoned leaves nothing, whether or not it was carried out', async () => {
      const [one, name] = [port(), lockName()]
      await one.trySetPermits(name, 5, fresh())
      const done = await new Acquisition(one, name, 3).granted()
      await done.abandon()
      await new Acquisition(one, name, 3).abandon()
      expect(await one.availablePermits(name)).toBe(5)
    })

    test('a lease that ends gives its permits back, once, and is not revived', async () => {
      const [one, other, name] = [port(), port(), lockName()]
      await other.trySetPermits(name, 3, fresh())
      const leaseMs = lasting(500)
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
      const [one, name] = [port(), lockName()]
      await one.trySetPermits(name, 2, fresh())
      const leaseMs = lasting(500)
      const [short, long] = [new Acquisition(one, name, 1, leaseMs), new Acquisition(one, name)]
      await short.granted()
      await long.granted()
      expect(await short.renew(LONG_MS)).toBe(true)
      expect(await long.renew(20)).toBe(true)
      await place.pass(leaseMs + 10)
      expect(await one.availablePermits(name)).toBe(0)
      expect(await short.release()).toBe('released')
      expect(await long.release()).toBe('released')
    })

    test('inspect and list show what is taken and for how long; forced open, all of it comes back', async () => {
      const [one, name] = [port(), lockName()]
      await one.trySetPermits(name, 3, fresh())
      expect(await one.inspect(name)).toEqual({ name, owners: [], remainingMs: 0 })
      await new Acquisition(one, name, 2).granted()
      const state = await one.inspect(name)
      expect(state.owners.reduce((sum, { holds }) => sum + holds, 0)).toBe(2)
      expect(state.remainingMs).toBeGreaterThan(0)
      expect(state.remainingMs).toBeLessThanOrEqual(LONG_MS)
      const listed: string[] = []
      for await (const each of one.list(`${name}*`)) listed.push(each.name)
      expect(listed).toEqual([name])
      expect(await one.forceUnlock(name)).toBe(true)
      expect(await one.forceUnlock(name)).toBe(false)
      expect(await one.availablePermits(name)).toBe(3)
    })
  })
}
