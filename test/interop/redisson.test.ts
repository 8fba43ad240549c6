import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { LockLostError } from '../../src/index.js'
import { type PlaceName, placeOf } from '../setup/places.js'
import { RedissonPeer, whyNoRedisson } from './redisson-peer.js'

const hindrance = whyNoRedisson()
if (hindrance) console.warn(`interop with Redisson is not tested: ${hindrance}`)

const watchdogMs = 900

function addressesOf(place: PlaceName): string[] {
  const { cluster, standalone } = inject('servers')
  const nodes = place === 'cluster' ? cluster.startupNodes : [standalone]
  return nodes.map(({ host, port }) => `redis://${host}:${port}`)
}

describe.skipIf(hindrance !== undefined).each(['standalone', 'cluster'] as const)(
  'beside Redisson: %s',
  (placeName) => {
    const place = placeOf(placeName)
    let java: RedissonPeer

    beforeAll(async () => {
      java = await RedissonPeer.start(addressesOf(placeName), watchdogMs)
    }, 180_000)
    afterEach(() => place.tidy())
    afterAll(() => java.kill())

    test('a lock held there is refused here, seen with its count and time left, and woken for by its release', async () => {
      const lock = place.holdfast().lock(place.lockName())
      await java.order('t', 'lock', lock.name, 60_000)
      await java.order('t', 'lock', lock.name, 60_000)
      expect(await lock.tryAcquire()).toBeNull()
      const { owners } = await lock.inspect()
      expect(owners).toEqual([{ owner: expect.stringMatching(/^[0-9a-f-]{36}:\d+$/), holds: 2 }])
      expect(await lock.remainingMs()).toBeGreaterThan(50_000)

      // The lease there lasts a minute: only the announcement can let this in before the test times out.
      const waiting = lock.acquire({ waitMs: 15_000 })
      await place.eventually(
        () => lock.countWaitingClients(),
        (count) => count === 1,
      )
      await java.order('t', 'unlock', lock.name)
      await java.order('t', 'unlock', lock.name)
      const hold = await waiting
      await hold.release()
    })

    test('a lock held here is refused there, seen with its time left, and woken for by its release', async () => {
      const lock = place.holdfast({ watchdogMs: 60_000 }).lock(place.lockName())
      const hold = await lock.acquire()
      const nested = await hold.run(() => lock.acquire())
      expect(await java.order('t', 'tryLock', lock.name, 0)).toBe('false')
      expect(await java.order('t', 'isLocked', lock.name)).toBe('true')
      expect(Number(await java.order('t', 'remaining', lock.name))).toBeGreaterThan(50_000)
      await expect(java.order('t', 'unlock', lock.name)).rejects.toThrow('IllegalMonitorStateException')

      const waiting = java.order('t', 'tryLock', lock.name, 15_000)
      await place.eventually(
        () => lock.countWaitingClients(),
        (count) => count === 1,
      )
      await nested.release()
      await hold.release()
      expect(await waiting).toBe('true')
      await java.order('t', 'unlock', lock.name)
      expect(await lock.isLocked()).toBe(false)
    })

    test('nested sections of both sides lose no update of a counter that nothing else guards', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const counter = `{${lock.name}}:counter`
      const client = place.client()
      await client.call('SET', counter, '0')
      const times = 150
      const there = [1, 2].map((thread) => java.order(`s${thread}`, 'sections', lock.name, counter, times))
      const here = [1, 2].map(async () => {
        for (let time = 0; time < times; time += 1) {
          await lock.withLock(() =>
            lock.withLock(async () => {
              const seen = Number(await client.call('GET', counter))
              await client.call('SET', counter, seen + 1)
            }),
          )
        }
      })
      await Promise.all([...there, ...here])
      expect(Number(await client.call('GET', counter))).toBe(4 * times)
      expect(await lock.isLocked()).toBe(false)
    }, 60_000)

    test('each side renews its own lease while the other waits', async () => {
      const lock = place.holdfast({ watchdogMs }).lock(place.lockName())
      await java.order('t', 'lock', lock.name)
      expect(await lock.tryAcquire({ waitMs: 2 * watchdogMs })).toBeNull()
      await java.order('t', 'unlock', lock.name)

      const hold = await lock.acquire()
      expect(await java.order('t', 'tryLock', lock.name, 2 * watchdogMs)).toBe('false')
      await hold.release()
    })

    test('forceUnlock of either side frees the lock, and the holder learns that it lost it', async () => {
      const lock = place.holdfast({ watchdogMs }).lock(place.lockName())
      const hold = await lock.acquire()
      expect(await java.order('t', 'forceUnlock', lock.name)).toBe('true')
      await place.eventually(() => hold.signal.aborted)
      await expect(hold.release()).rejects.toBeInstanceOf(LockLostError)

      await java.order('t', 'lock', lock.name)
      expect(await lock.forceUnlock()).toBe(true)
      await expect(java.order('t', 'unlock', lock.name)).rejects.toThrow('IllegalMonitorStateException')
    })

    test('what a killed JVM held is taken over when its lease ends', async () => {
      const doomed = await RedissonPeer.start(addressesOf(placeName), watchdogMs)
      const lock = place.holdfast().lock(place.lockName())
      await doomed.order('t', 'lock', lock.name)
      expect(await lock.tryAcquire()).toBeNull()
      doomed.kill()
      const hold = await lock.acquire({ waitMs: 15_000 })
      await hold.release()
    }, 60_000)
  },
)
