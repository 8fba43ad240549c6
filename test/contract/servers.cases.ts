import { describe, expect, test } from 'vitest'
import { untilWaiting } from '../../src/conformance/idle.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import type { Place } from '../setup/places.js'

/** What can only be seen where there is a server: keys, the application’s own client, renewals that fail. */
export function serversCases(place: Place): void {
  describe.runIf(place.server)('on a server', () => {
    test('C1: the client handed in is neither used, nor connected, nor closed', async () => {
      const idle = place.holdfast()
      const lock = idle.lock(place.lockName())
      const application = place.client()
      await application.connect()
      const { status } = application
      await lock.withLock(() => undefined)
      await idle.close()
      expect(application.status).toBe(status)
      expect(await application.call('GET', lock.name)).toBeNull()
    })

    test('X2: the key is one hash of owner and count, and since when it is held, with the lease as its time to live; free means gone', async () => {
      const application = place.client()
      const holdfast = place.holdfast()
      const lock = holdfast.lock(place.lockName())
      const owner = holdfast.owner()
      const outer = await lock.acquire({ owner, leaseMs: 60_000 })
      const inner = await lock.acquire({ owner, leaseMs: 60_000 })
      expect(await application.call('HGET', lock.name, owner)).toBe('2')
      expect(await application.call('HLEN', lock.name)).toBe(2)
      const now = await application.call('TIME')
      const age =
        Number([now].flat()[0]) -
        Number.parseInt(String(await application.call('HGET', lock.name, 'since')), 10)
      expect(age).toBeGreaterThan(-1)
      expect(age).toBeLessThan(60)
      const left = Number(await application.call('PTTL', lock.name))
      expect(left).toBeGreaterThan(40_000)
      expect(left).toBeLessThanOrEqual(60_000)
      await inner.release()
      expect(await application.call('HGET', lock.name, owner)).toBe('1')
      await outer.release()
      expect(await application.call('EXISTS', lock.name)).toBe(0)
    })

    test('X2: locks survive SCRIPT FLUSH', async () => {
      const application = place.client()
      const lock = place.holdfast().lock(place.lockName())
      const hold = await lock.acquire()
      await application.call('SCRIPT', 'FLUSH')
      expect(await lock.tryAcquire()).toBeNull()
      await application.call('SCRIPT', 'FLUSH')
      await hold.release()
      expect(await application.call('EXISTS', lock.name)).toBe(0)
    })

    test('W4: the channel is dropped on the server when the last waiter has left', async () => {
      const lock = place.holdfast().lock(place.lockName())
      const hold = await place.holdfast().lock(lock.name).acquire()
      const abort = new AbortController()
      const waiting = rejectionOf(lock.acquire({ signal: abort.signal }))
      await untilWaiting(place, lock, 1)
      abort.abort()
      await waiting
      await untilWaiting(place, lock, 0)
      await hold.release()
    })
  })
}
