/** What others got wrong about how long a lock is held. */
import { afterEach, expect, test, vi } from 'vitest'
import { type Lock, LockLostError } from '../../src/index.js'
import { machineTime } from '../../src/time/machine-time.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

/** Blocks the event loop, as a debugger's breakpoint or a long computation does. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('node-redlock#296, #169, #283: after a wait longer than the lease the hold has all of it', async () => {
  const leaseMs = 1_000
  const name = place.lockName()
  const client = place.client()
  const holder = await place.holdfast().lock(name).acquire()
  const lock = place.holdfast().lock(name)
  const waiting = lock.acquire({ leaseMs })
  await place.pass(2 * leaseMs)
  await holder.release()
  const hold = await waiting
  const leftMs = Number(await client.call('PTTL', name))
  expect(leftMs).toBeGreaterThan(leaseMs / 2)
  // The holder's own reckoning ends before the store's, never after.
  expect(hold.remainingMs()).toBeGreaterThan(0)
  expect(hold.remainingMs()).toBeLessThanOrEqual(leftMs)
  hold.assertHeld()
  await hold.release()
})

test('redisson#3484, #4818, #5623: one handle, two owners: neither inherits the terms of the other', async () => {
  const holdfast = place.holdfast({ watchdogMs: 1_200 })
  const lock = holdfast.lock(place.lockName())
  let renewals = 0
  holdfast.on('renewed', () => {
    renewals += 1
  })
  const leased = await lock.acquire({ leaseMs: 20_000 })
  expect(await lock.remainingMs()).toBeGreaterThan(10_000)
  await leased.release()
  // Redisson would give this one the lease of the one before.
  const watched = await lock.acquire()
  expect(await lock.remainingMs()).toBeLessThanOrEqual(1_200)
  await place.eventually(() => renewals >= 4)
  watched.assertHeld()
  await watched.release()
  const before = renewals
  const short = await lock.acquire({ leaseMs: 600 })
  await place.eventually(() => short.remainingMs() === 0)
  expect(renewals).toBe(before)
  await expect(short.release()).rejects.toThrow(LockLostError)
})

test('redisson#4818: a leased hold within a watched one, and the reverse, live as long as the outer needs', async () => {
  const holdfast = place.holdfast({ watchdogMs: 1_200 })
  let renewals = 0
  holdfast.on('renewed', () => {
    renewals += 1
  })
  const lock = holdfast.lock(place.lockName())
  await lock.withLock(async (outer) => {
    await lock.withLock({ leaseMs: 30 }, () => undefined)
    // The first release of the inner one must not end the outer's renewal.
    const before = renewals
    await place.eventually(() => renewals >= before + 5)
    outer.assertHeld()
  })
  const other = holdfast.lock(place.lockName())
  await other.withLock({ leaseMs: 30_000 }, async () => {
    await other.withLock(() => undefined)
    expect(await other.remainingMs()).toBeGreaterThan(20_000)
    const before = renewals
    await place.pass(500)
    expect(renewals).toBe(before)
  })
})

test('redis-semaphore#9, #24, BullMQ#3056: a blocked event loop: the loss is seen before any timer fires', async () => {
  const holdfast = place.holdfast({ watchdogMs: 400 })
  const name = place.lockName()
  const lost: string[] = []
  holdfast.on('lost', ({ reason }) => lost.push(reason))
  const hold = await holdfast.lock(name).acquire()
  const { signal } = hold
  block(700)
  // Not a single turn of the event loop since.
  expect(hold.remainingMs()).toBe(0)
  expect(() => hold.assertHeld()).toThrow(LockLostError)
  expect(signal.aborted).toBe(true)
  expect(lost).toEqual(['lease-expired'])
  await expect(hold.release()).rejects.toThrow(LockLostError)
})

test('redis-semaphore#24: a machine that slept: time that only the wall clock saw counts against the lease', async () => {
  const hold = await place.holdfast().lock(place.lockName()).acquire()
  hold.assertHeld()
  const wallTime = machineTime.wallMs
  const asleepMs = 40_000
  const wall = vi.spyOn(machineTime, 'wallMs').mockImplementation(() => wallTime() + asleepMs)
  try {
    expect(() => hold.assertHeld()).toThrow(LockLostError)
    expect(hold.signal.aborted).toBe(true)
    await expect(hold.release()).rejects.toThrow(LockLostError)
  } finally {
    wall.mockRestore()
  }
})

test('BullMQ#3183: a loop that is blocked for less than the lease loses nothing', async () => {
  const holdfast = place.holdfast({ watchdogMs: 3_000 })
  const hold = await holdfast.lock(place.lockName()).acquire()
  let renewals = 0
  holdfast.on('renewed', () => {
    renewals += 1
  })
  for (let times = 0; times < 4; times += 1) {
    block(800)
    await place.eventually(() => renewals > times)
    hold.assertHeld()
  }
  await hold.release()
})

test.each([
  ['acquire', (lock: Lock) => lock.acquire({ waitMs: 50 })],
  ['tryAcquire', (lock: Lock) => lock.tryAcquire()],
  ['isLocked', (lock: Lock) => lock.isLocked()],
])(
  'BullMQ#3056: a reply that was there in time counts, however late the event loop gets to it: %s',
  async (_, ask) => {
    const holdfast = place.holdfast({ commandTimeoutMs: 200 })
    await holdfast.lock(place.lockName()).withLock(() => undefined)
    await holdfast.lock(place.lockName()).isLocked()
    const asking = ask(holdfast.lock(place.lockName()))
    // Everything is sent that is to be sent: no turn of the loop is needed for that.
    for (let step = 0; step < 50; step += 1) await Promise.resolve()
    block(600)
    const answer = await asking
    if (typeof answer === 'boolean') return expect(answer).toBe(false)
    answer?.assertHeld()
    await answer?.release()
  },
)

test('verrou: a nested acquire of the same key enters at once, not when the lease of the outer one ends', async () => {
  const lock = place.holdfast().lock(place.lockName())
  await lock.withLock({ leaseMs: 30_000 }, async (outer) => {
    await lock.withLock({ leaseMs: 30_000, waitMs: 5_000 }, (inner) => {
      expect(inner.owner).toBe(outer.owner)
    })
    outer.assertHeld()
  })
})

test('verrou: when the lease ends, the holder has been told before another is let in', async () => {
  const name = place.lockName()
  const order: string[] = []
  const first = await place.holdfast().lock(name).acquire({ leaseMs: 300 })
  first.signal.addEventListener('abort', () => order.push('first is told'))
  const second = await place.holdfast().lock(name).acquire({ waitMs: 10_000 })
  order.push('second is in')
  expect(order).toEqual(['first is told', 'second is in'])
  await second.release()
})

test("node-redlock#65, #313: a late release is final at once, and the body's own outcome is not hidden", async () => {
  const lock = place.holdfast().lock(place.lockName())
  const late = lock.withLock({ leaseMs: 60 }, async () => {
    await place.pass(120)
    return 'result'
  })
  await expect(late).rejects.toSatisfy((error) => error instanceof LockLostError && error.result === 'result')
  const failing = lock.withLock({ leaseMs: 60 }, async () => {
    await place.pass(120)
    throw new Error("the body's own")
  })
  await expect(failing).rejects.toThrow("the body's own")
  const careless = lock.withLock({ leaseMs: 60, onLost: 'continue' }, async () => {
    await place.pass(120)
    return 'result'
  })
  expect(await careless).toBe('result')
})
