/** What stays in Redis of a process that was killed: nothing for ever, but what the application has put there to stay. */
import { expect, test } from 'vitest'
import type { Holdfast } from '../../src/index.js'
import { eventually } from '../setup/eventually.js'
import { stage } from './stage.js'

const { scene } = stage('ioredis-6')

/** Takes each kind, has others wait for it, and leaves all as it is. */
async function fill(holder: Holdfast, waiter: Holdfast): Promise<void> {
  await holder.lock('lock').acquire()
  await holder.fencedLock('fenced').acquire()
  await holder.fairLock('fair').acquire()
  await holder.spinLock('spin').acquire()
  await holder.readWriteLock('rw').readLock().acquire()
  await holder.readWriteLock('rw:write').writeLock().acquire()
  await holder.multiLock([holder.lock('multi:1'), holder.lock('multi:2')]).acquire()
  await holder.lock('handed over').withLock({ leaseMs: 60_000 }, () => undefined)
  for (const kind of ['semaphore', 'permitExpirableSemaphore'] as const) {
    await holder[kind](kind).trySetPermits(1, { ttlMs: 60_000 })
    const hold = await holder[kind](kind).acquire()
    // By less than it has: nothing changes.
    await hold.extend(1_000)
  }
  await holder.countDownLatch('latch').trySetCount(1)
  await holder.countDownLatch('latch').countDown()
  await holder.computeOnce('value', () => 1, { ttlMs: 60_000 })
  for (const wait of [
    waiter.lock('lock').acquire(),
    waiter.fairLock('fair').acquire(),
    waiter.readWriteLock('rw').writeLock().acquire(),
    waiter.semaphore('semaphore').acquire(),
    waiter.permitExpirableSemaphore('permitExpirableSemaphore').acquire(),
  ])
    wait.catch(() => undefined)
  await eventually(async () => (await waiter.lock('lock').countWaitingClients()) === 1)
  await eventually(async () => (await waiter.readWriteLock('rw').writeLock().countWaitingClients()) === 1)
}

test('faults B15: every key of every kind has an end, while it is held and waited for', async () => {
  await scene.direct.flushall()
  const terms = { fenceRetentionMs: 60_000 }
  await fill(scene.holdfast(terms), scene.holdfast(terms))
  const keys = await scene.direct.keys('*')
  expect(keys.length).toBeGreaterThan(20)
  const ends = await Promise.all(keys.map(async (key) => [key, await scene.direct.pttl(key)] as const))
  expect(ends.filter(([, left]) => left < 0)).toEqual([])
})

test('faults B15: the companions of a semaphore without an end stay as long as permits are to be returned', async () => {
  await scene.direct.flushall()
  const semaphore = scene.holdfast().semaphore('for ever')
  await semaphore.trySetPermits(1)
  const hold = await semaphore.acquire()
  expect(await scene.direct.pttl('holdfast_semaphore_leases:{for ever}')).toBe(-1)
  await hold.release()
  expect((await scene.direct.keys('*for ever*')).filter((key) => !key.includes('request'))).toEqual([
    'for ever',
  ])
})
