import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { clientAt } from './client-at.js'
import { LONG_LEASE_MS, type Scene } from './scene.js'

const kinds = [
  { kind: 'lock', sort: 'lock', take: ['lock', LONG_LEASE_MS] },
  { kind: 'fencedLock', sort: 'fenced', take: ['tryLockAndGetToken', LONG_LEASE_MS, LONG_LEASE_MS] },
  { kind: 'semaphore', sort: 'semaphore', take: ['acquire', 1] },
  { kind: 'permitExpirableSemaphore', sort: 'permits', take: ['acquire', 1, LONG_LEASE_MS] },
] as const

/** Whatever is in a name: both sides come to the same keys and channels, so that each wakes the other. */
export function namesCases(scene: Scene): void {
  const { place } = scene

  describe.each([
    { what: 'a hash tag', prefix: '', around: (name: string) => `{${name}}:task` },
    { what: 'a hash tag within', prefix: '', around: (name: string) => `task:{${name}}:1` },
    { what: 'letters of many alphabets', prefix: '', around: (name: string) => `ключ:${name}:鍵` },
    { what: 'a prefix of its client', prefix: 'service:', around: (name: string) => name },
    { what: 'a hash tag in the prefix', prefix: '{service}:', around: (name: string) => name },
  ])(`names on ${scene.server}: with $what`, ({ prefix, around }) => {
    test.each(kinds)('a $kind wakes both ways', async ({ kind, sort, take: [verb, ...terms] }) => {
      const name = around(place.lockName())
      const client = clientAt(scene.nodes, { keyPrefix: prefix })
      await using holdfast = new Holdfast(client)
      const ours = holdfast[kind](name)
      const order = scene.orders(sort, randomUUID())
      const takeThere = () => order(verb, prefix + name, ...terms)
      // A lock is unlocked by its thread; permits are given back by their number or their id.
      const giveThere = (taken: string) =>
        verb === 'acquire'
          ? order('release', prefix + name, sort === 'semaphore' ? 1 : taken)
          : order('unlock', prefix + name)
      if (verb === 'acquire') await order('trySetPermits', prefix + name, 1)

      const taken = await takeThere()
      const here = ours.acquire({ leaseMs: LONG_LEASE_MS })
      await scene.untilWaiting(ours)
      await giveThere(taken)
      const hold = await here

      const there = takeThere()
      await scene.untilWaiting(ours)
      await hold.release()
      const token = await there
      expect(token).not.toBe('null')
      await giveThere(token)
      client.disconnect()
    })
  })
}
