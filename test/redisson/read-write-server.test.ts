/** Redisson's tests of read-write locks on a server that restarts, and in a cluster. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LockLostError } from '../../src/index.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { eventually } from '../setup/eventually.js'
import { placeOf } from '../setup/places.js'
import { PrivateServer } from './private-server.js'
import { sidesOf } from './read-write-sides.js'
import { Thread } from './thread.js'
import { UnguardedCounter } from './unguarded-counter.js'

describe('a server that restarts without its data', () => {
  let place: PrivateServer

  beforeAll(async () => {
    place = await PrivateServer.bring()
  })
  afterEach(() => place.tidy())
  afterAll(() => place.stop())

  // Redisson's holder learns of it at the unlock; ours is told as soon as the watchdog finds the hold gone.
  test.each([
    ['testReadLockAfterTimeout', 'read'],
    ['testWriteLockAfterTimeout', 'write'],
  ] as const)('%s: unlock fails, and the next lock is renewed', async (name, side) => {
    const holdfast = place.holdfast({ watchdogMs: 1_200 })
    const lock = sidesOf(holdfast.readWriteLock(name))[side]
    const lost: string[] = []
    let renewals = 0
    holdfast.on('lost', ({ reason }) => lost.push(reason))
    holdfast.on('renewed', () => {
      renewals += 1
    })
    const thread = await Thread.start(holdfast)
    await thread.do(() => lock.lock())
    await place.server.restart({ keepData: false })
    await eventually(() => lost.length > 0)
    await expect(thread.do(() => lock.unlock())).rejects.toThrow(LockLostError)
    await thread.do(() => lock.lock())
    const before = renewals
    await eventually(() => renewals >= before + 6)
    expect(await thread.do(() => lock.holdCount())).toBe(1)
    await thread.do(() => lock.unlock())
    expect(await lock.isLocked()).toBe(false)
    expect(lost).toHaveLength(1)
    await thread.end()
  })

  test('subscriber reconnect mid-wait: whoever waits in line while its connections break is served', async () => {
    const holder = await place.holdfast().readWriteLock('cut').writeLock().acquire()
    const waiting = place.holdfast().readWriteLock('cut').readLock().acquire({ waitMs: 15_000 })
    await eventually(async () => Number(await place.ask('ZCARD', 'holdfast_rw_line:{cut}')) === 1)
    await place.ask('CLIENT', 'KILL', 'TYPE', 'pubsub')
    await holder.release()
    const hold = await waiting
    hold.assertHeld()
    await hold.release()
  })
})

describe('in a cluster', () => {
  const place = placeOf('cluster')
  afterEach(() => place.tidy())

  test('testInCluster: locks of every node exclude, share and wake', async () => {
    const holdfasts = [place.holdfast(), place.holdfast(), place.holdfast()]
    const client = place.client()
    const names = Array.from({ length: 9 }, () => place.lockName())
    const nodes = new Set(names.map((name) => Math.floor(slotOf(name) / (16_384 / 3))))
    await Promise.all(
      names.map(async (name) => {
        const counter = new UnguardedCounter(client, name)
        const turns = holdfasts.map(async (holdfast) => {
          const { read, write } = sidesOf(holdfast.readWriteLock(name))
          await write.withLock(async () => {
            await counter.section()
            await read.withLock(async () => expect(await read.isHeld()).toBe(true))
          })
          await read.withLock(async () => expect((await counter.read()).overlaps).toBe(0))
        })
        await Promise.all(turns)
        expect(await counter.read()).toEqual({ value: 3, overlaps: 0 })
      }),
    )
    expect([...nodes].sort()).toEqual([0, 1, 2])
  })
})
