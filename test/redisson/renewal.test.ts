/** RedissonLockExpirationRenewalTest, as far as it is about lock(): renewal after a restart, and after reentry. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { LockLostError } from '../../src/index.js'
import { eventually } from '../setup/eventually.js'
import { PrivateServer } from './private-server.js'
import { Thread } from './thread.js'

const watchdogMs = 1_200
let place: PrivateServer

beforeAll(async () => {
  place = await PrivateServer.bring()
})
afterEach(() => place.tidy())
afterAll(() => place.stop())

// Redisson's holder learns of it at the unlock; ours is told as soon as the watchdog finds the lock gone.
test('testLockAfterTimeout: after a restart without data unlock fails, and the next lock is renewed', async () => {
  const holdfast = place.holdfast({ watchdogMs })
  const lock = holdfast.lock('after-timeout')
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
  // Ten thirds of a lease: without renewal it would be gone three times over.
  await eventually(() => renewals >= before + 10)
  expect(await thread.do(() => lock.holdCount())).toBe(1)
  expect(await lock.remainingMs()).toBeGreaterThan(0)
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
  await eventually(() => renewals >= before + 10)
  expect(await second.do(() => lock.holdCount())).toBe(1)
  expect(await first.do(() => lock.isHeld())).toBe(false)
  await second.do(() => lock.unlock())
  expect(problems).toEqual([])
  expect(holdfast.census.watched).toBe(0)
  await first.end()
  await second.end()
})
