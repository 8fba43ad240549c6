import { describe, expect, test } from 'vitest'
import { type Hold, Holdfast, type RedisClient } from '../../src/index.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'
import { LONG_LEASE_MS, type Scene } from './scene.js'

interface Handle {
  acquire(options: { leaseMs: number }): Promise<Hold>
  countWaitingClients(): Promise<number | undefined>
}

interface Kind {
  readonly kind: string
  readonly orders: string
  readonly take: readonly [string, ...number[]]
  readonly give: string
  handle(holdfast: Holdfast, name: string): Handle
}

const kinds: readonly Kind[] = [
  {
    kind: 'RLock',
    orders: 'lock',
    take: ['lock', LONG_LEASE_MS],
    give: 'unlock',
    handle: (holdfast, name) => holdfast.lock(name),
  },
  {
    kind: 'RFencedLock',
    orders: 'fenced',
    take: ['tryLockAndGetToken', LONG_LEASE_MS, LONG_LEASE_MS],
    give: 'unlock',
    handle: (holdfast, name) => holdfast.fencedLock(name),
  },
  {
    kind: 'RSemaphore',
    orders: 'semaphore',
    take: ['acquire', 1],
    give: 'release',
    handle: (holdfast, name) => holdfast.semaphore(name),
  },
  {
    kind: 'RPermitExpirableSemaphore',
    orders: 'permits',
    take: ['acquire', 1, LONG_LEASE_MS],
    give: 'release',
    handle: (holdfast, name) => holdfast.permitExpirableSemaphore(name),
  },
]

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
    test.each(kinds)('$kind wakes both ways', async ({ kind, orders, take, give, handle }) => {
      const name = around(place.lockName())
      const client = clientWith(prefix)
      await using holdfast = new Holdfast(client)
      const ours = handle(holdfast, name)
      const thread = scene.thread()
      const order = (verb: string, ...args: Array<string | number>) =>
        scene.java.order(thread, `${orders}.${verb}`, prefix + name, ...args)
      if (give === 'release') await order('trySetPermits', 1)
      const takeThere = () => order(...take)
      // A lock is unlocked by its thread; permits are given back by their number or their id.
      const giveThere = (taken: string) =>
        give === 'unlock' ? order(give) : order(give, orders === 'semaphore' ? 1 : taken)

      const taken = await takeThere()
      const here = ours.acquire({ leaseMs: LONG_LEASE_MS })
      await scene.untilWaiting(ours)
      await giveThere(taken)
      const hold = await here

      const there = takeThere()
      await place.eventually(
        () => ours.countWaitingClients(),
        (count) => count === 1,
      )
      await hold.release()
      const token = await there
      expect(token).not.toBe('null')
      await giveThere(token)
      client.disconnect()
      scene.count(kind, 'side by side', 'woken both ways by odd names')
    })
  })

  function clientWith(keyPrefix: string): RedisClient {
    const [node, ...others] = scene.nodes
    if (!node) throw new Error('there is a node at least')
    return others.length > 0
      ? clusterClient([...scene.nodes], { keyPrefix })
      : standaloneClient({ ...node, keyPrefix })
  }
}
