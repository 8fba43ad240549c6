/** RedissonLockExpirationRenewalTest: renewal after a restart, and after reentry; a server whose connections for news break. */
import { afterEach, expect, test } from 'vitest'
import { type Holdfast, type Lock, LockLostError } from '../../src/index.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { PrivateServer } from './private-server.js'
import { Thread } from './thread.js'

const watchdogMs = lasting(1_200)
const place = duringAll(() => PrivateServer.bring())
afterEach(() => place.tidy())

// Redisson's holder learns of it at the unlock; ours is told as soon as the watchdog finds the lock gone.
test.each<readonly [string, (holdfast: Holdfast, name: string) => Lock]>([
  ['testLockAfterTimeout', (holdfast, name) => holdfast.lock(name)],
  ['testReadLockAfterTimeout', (holdfast, name) => holdfast.readWriteLock(name).readLock()],
  ['testWriteLockAfterTimeout', (holdfast, name) => holdfast.readWriteLock(name).writeLock()],
])('%s: after a restart without data unlock fails, and the next lock is renewed', async (name, lockOf) => {
  const holdfast = place.holdfast({ watchdogMs })
  const lock = lockOf(holdfast, name)
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
  // Six thirds of a lease: without renewal it would be gone twice over.
  await eventually(() => renewals >= before + 6, Boolean, 10 * watchdogMs)
  expect(await thread.do(() => lock.holdCount())).toBe(1)
  await thread.do(() => lock.unlock())
  expect(await lock.isLocked()).toBe(false)
  expect(lost).toHaveLength(1)
  await thread.end()
})

test("testLockReentrantRenew: after one thread's reentrant cycle another's lock is still renewed", async () => {
  const holdfast = place.holdfast({ watchdogMs })
  const lock = holdfast.lock('reentrant-renew')
  const problems: string[] = []
  let renewals = 0
  holdfast.on('lost', ({ reason }) => problems.push(reason))
  holdfast.on('renewed', () => {
    renewals += 1
  })
  const first = await Thread.start(holdfast)
  const second = await Thread.start(holdfast)
  for (let depth = 0; depth < 3; depth += 1) await first.do(() => lock.lock())
  const waiting = second.do(() => lock.lock())
  for (let depth = 0; depth < 3; depth += 1) await first.do(() => lock.unlock())
  await waiting
  const before = renewals
  await eventually(() => renewals >= before + 10, Boolean, 10 * watchdogMs)
  expect(await second.do(() => lock.holdCount())).toBe(1)
  expect(await first.do(() => lock.isHeld())).toBe(false)
  await second.do(() => lock.unlock())
  expect(problems).toEqual([])
  expect(holdfast.census.watched).toBe(0)
  await first.end()
  await second.end()
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
