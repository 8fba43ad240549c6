/** Redisson's tests of its multi-lock, under its names. */
import { afterAll, afterEach, expect, inject, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { bringServer } from '../servers/index.js'
import { standaloneClient } from '../setup/clients.js'
import { placeOf } from '../setup/places.js'
import { Thread } from './thread.js'

const place = placeOf('standalone')
const ends: Array<() => Promise<void>> = []

afterEach(() => place.tidy())
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

test('testLockUnlock: held by this thread, and by no other, until unlocked', async () => {
  const holdfast = place.holdfast()
  const locks = [1, 2, 3].map((index) => holdfast.lock(`${place.lockName()}:${index}`))
  const multi = holdfast.multiLock(locks)
  const [owner, other] = [await Thread.start(holdfast), await Thread.start(holdfast)]
  const heldBy = (thread: Thread): Promise<boolean[]> =>
    thread.do(() => Promise.all(locks.map((lock) => lock.isHeld())))
  await owner.do(() => multi.lock())
  expect(await owner.do(() => multi.isHeld())).toBe(true)
  expect(await heldBy(owner)).toEqual([true, true, true])
  expect(await heldBy(other)).toEqual([false, false, false])
  expect(await Promise.all(locks.map((lock) => lock.isLocked()))).toEqual([true, true, true])
  await owner.do(() => multi.unlock())
  expect(await heldBy(owner)).toEqual([false, false, false])
  expect(await multi.isLocked()).toBe(false)
  await owner.end()
  await other.end()
})

// Redisson's waits and leases for each member by itself; here both are for all together.
test('testWaitAndLeaseTimeouts: of ten that try, one gets it', async () => {
  const name = place.lockName()
  const locks = Array.from({ length: 10 }, () => {
    const holdfast = place.holdfast()
    return holdfast.multiLock([1, 2, 3].map((index) => holdfast.lock(`${name}:${index}`)))
  })
  // Connected before they try: what the wait is for is the lock.
  await Promise.all(locks.map((lock) => lock.isLocked()))
  const tries = locks.map((lock) => lock.tryAcquire({ waitMs: 2_000, leaseMs: 60_000 }))
  const holds = (await Promise.all(tries)).filter((hold) => hold !== null)
  expect(holds).toHaveLength(1)
  expect(holds[0]?.remainingMs()).toBeGreaterThan(50_000)
})

test('testMultiThreads: a thread waits for one lock, then gets all', async () => {
  const holdfast = place.holdfast()
  const locks = [1, 2, 3].map((index) => holdfast.lock(`${place.lockName()}:${index}`))
  const thread = await Thread.start(holdfast)
  const [first] = locks
  await thread.do(() => first?.lock())
  const waiting = holdfast.multiLock(locks).acquire()
  await place.eventually(() => holdfast.metrics().waiting === 1)
  await thread.do(() => first?.unlock())
  const hold = await waiting
  hold.assertHeld()
  await hold.release()
  await thread.end()
})

test('test: locks of three servers', async () => {
  const { flavour } = inject('servers')
  const holdfasts: Holdfast[] = []
  for (let count = 0; count < 3; count += 1) {
    const server = await bringServer({ flavour })
    ends.push(() => server.stop())
    const client = standaloneClient({ host: server.host, port: server.port })
    ends.push(async () => client.disconnect())
    const holdfast = new Holdfast(client)
    ends.push(() => holdfast.close())
    holdfasts.push(holdfast)
  }
  const locks = holdfasts.map((holdfast, index) => holdfast.lock(`lock:${index}`))
  let inside = 0
  await Promise.all(
    holdfasts.map((holdfast) =>
      holdfast.multiLock(locks).withLock(async () => {
        inside += 1
        await new Promise((resolve) => setImmediate(resolve))
        expect(inside).toBe(1)
        inside -= 1
      }),
    ),
  )
})
