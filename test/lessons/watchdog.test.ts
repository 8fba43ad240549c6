/** What others' renewal got wrong, without the server failing. */
import { afterEach, describe, expect, test } from 'vitest'
import { LockLostError } from '../../src/index.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('standalone')

afterEach(() => place.tidy())

describe('renewal and release', () => {
  test('redisson#7272: no renewal outlives its unlock, and none prolongs the next lease', async () => {
    const client = place.client()
    const holdfast = place.holdfast()
    const quick = place.holdfast({ watchdogMs: 900 })
    const renewed: string[] = []
    quick.on('renewed', ({ name }) => renewed.push(name))
    // Released around the moment of the first renewal, then taken with a lease by the same owner or by another.
    const one = async (index: number): Promise<void> => {
      const name = place.lockName()
      const owner = quick.owner()
      const watched = await quick.lock(name).acquire({ owner })
      await place.pass(290 + index)
      await watched.release()
      const leaseMs = 50_000
      const leased = await (index % 2
        ? quick.lock(name).acquire({ owner, leaseMs })
        : holdfast.lock(name).acquire({ leaseMs }))
      const endsAt = await client.call('PEXPIRETIME', name)
      const before = renewed.filter((each) => each === name).length
      await place.pass(400)
      expect(renewed.filter((each) => each === name)).toHaveLength(before)
      expect(await client.call('PEXPIRETIME', name)).toEqual(endsAt)
      await leased.release()
    }
    await Promise.all(Array.from({ length: 24 }, (_, index) => one(index)))
    expect(quick.census.watched).toBe(0)
  })

  test('redisson#6844: whatever comes and goes at the same time, what stays is renewed', async () => {
    const holdfast = place.holdfast({ watchdogMs: 1_200 })
    const lost: string[] = []
    holdfast.on('lost', ({ name }) => lost.push(name))
    const names = Array.from({ length: 20 }, () => place.lockName())
    const renewals = new Map<string, number>()
    // Each name is let go of and taken again by many, all at once, and in the end kept by one.
    const kept = await Promise.all(
      names.map(async (name) => {
        const lock = holdfast.lock(name)
        await Promise.all(Array.from({ length: 10 }, () => lock.withLock(() => undefined)))
        const keeper = lock.acquire()
        const rest = Promise.all(Array.from({ length: 5 }, () => lock.tryAcquire()))
        const others = await rest
        for (const other of others) await other?.release()
        return await keeper
      }),
    )
    holdfast.on('renewed', ({ name }) => renewals.set(name, (renewals.get(name) ?? 0) + 1))
    await place.eventually(() => names.every((name) => (renewals.get(name) ?? 0) >= 5))
    for (const hold of kept) hold.assertHeld()
    expect(lost).toEqual([])
    for (const hold of kept) await hold.release()
    expect(holdfast.census.watched).toBe(0)
  })

  test('redisson#6144: reentry counts as holds: renewed until the last, and not once more', async () => {
    const holdfast = place.holdfast({ watchdogMs: 1_200 })
    const lock = holdfast.lock(place.lockName())
    let renewals = 0
    holdfast.on('renewed', () => {
      renewals += 1
    })
    await lock.withLock(async (outer) => {
      for (let round = 0; round < 5; round += 1) await lock.withLock(() => lock.withLock(() => undefined))
      const before = renewals
      await place.eventually(() => renewals >= before + 6)
      outer.assertHeld()
      expect(holdfast.census.watched).toBe(1)
    })
    expect(holdfast.census.watched).toBe(0)
    const before = renewals
    const stranger = await place.holdfast().lock(lock.name).acquire({ leaseMs: 30_000 })
    await place.pass(500)
    expect(renewals).toBe(before)
    await stranger.release()
  })

  test('redis-semaphore#205: a renewal that meets the release is no loss', async () => {
    const holdfast = place.holdfast({ watchdogMs: 900 })
    const lost: unknown[] = []
    holdfast.on('lost', (event) => lost.push(event))
    let renewals = 0
    holdfast.on('renewed', () => {
      renewals += 1
    })
    const names = Array.from({ length: 40 }, () => place.lockName())
    await Promise.all(
      names.map(async (name, index) => {
        for (let round = 0; round < 3; round += 1) {
          await holdfast.lock(name).withLock(() => place.pass(285 + ((index + round) % 40)))
        }
      }),
    )
    expect(lost).toEqual([])
    expect(renewals).toBeGreaterThan(0)
    expect(holdfast.census.tenures).toBe(0)
  })
})

describe('many locks', () => {
  test('redisson#6483, redis-semaphore#199: what a listener throws in a timer stops no renewal', async () => {
    const holdfast = place.holdfast({ watchdogMs: 1_200 })
    const names = Array.from({ length: 5 }, () => place.lockName())
    const renewals = new Map<string, number>()
    const errors: unknown[] = []
    holdfast.on('error', (error) => errors.push(error))
    holdfast.on('renewed', ({ name }) => {
      renewals.set(name, (renewals.get(name) ?? 0) + 1)
      throw new Error(`thrown by a listener for ${name}`)
    })
    const holds = await Promise.all(names.map((name) => holdfast.lock(name).acquire()))
    await place.eventually(() => names.every((name) => (renewals.get(name) ?? 0) >= 4))
    for (const hold of holds) hold.assertHeld()
    expect(errors.length).toBeGreaterThanOrEqual(20)
    for (const hold of holds) await hold.release()
  })

  test('redisson#6962, redisson#6303: two thousand locks are renewed, none late', async () => {
    const holdfast = place.holdfast({ watchdogMs: 4_500 })
    const lost: unknown[] = []
    const renewals = new Map<string, number>()
    holdfast.on('lost', (event) => lost.push(event))
    holdfast.on('renewed', ({ name }) => renewals.set(name, (renewals.get(name) ?? 0) + 1))
    const prefix = place.lockName()
    const holds = await Promise.all(
      Array.from({ length: 2_000 }, (_, index) => holdfast.lock(`${prefix}:${index}`).acquire()),
    )
    await place.eventually(() => holds.every(({ name }) => (renewals.get(name) ?? 0) >= 3))
    expect(lost).toEqual([])
    for (const hold of holds) expect(hold.remainingMs()).toBeGreaterThan(0)
    await Promise.all(holds.map((hold) => hold.release()))
    expect(holdfast.census.watched).toBe(0)
  }, 30_000)
})

describe('a lock that has gone', () => {
  test("redisson#597, redisson#2037: one that is another's now is lost at once, and not renewed for them", async () => {
    const client = place.client()
    const holdfast = place.holdfast({ watchdogMs: 1_200 })
    const name = place.lockName()
    const lost: string[] = []
    let renewals = 0
    holdfast.on('lost', ({ reason }) => lost.push(reason))
    holdfast.on('renewed', () => {
      renewals += 1
    })
    const hold = await holdfast.lock(name).acquire()
    await client.call('DEL', name)
    await client.call('HSET', name, 'somebody:1', 1)
    await client.call('PEXPIRE', name, 60_000)
    const endsAt = await client.call('PEXPIRETIME', name)
    const before = renewals
    await place.eventually(() => lost.length > 0)
    // By the answer to the renewal, not by the end of the lease.
    expect(lost).toEqual(['not-in-store'])
    expect(hold.signal.aborted).toBe(true)
    await place.pass(500)
    expect(renewals).toBe(before)
    expect(await client.call('PEXPIRETIME', name)).toEqual(endsAt)
    await expect(hold.release()).rejects.toThrow(LockLostError)
    expect(await client.call('HGET', name, 'somebody:1')).toBe('1')
    await client.call('DEL', name)
  })

  test('redis-semaphore#175: a renewal never brings a lock back', async () => {
    const client = place.client()
    const holdfast = place.holdfast({ watchdogMs: 900 })
    const name = place.lockName()
    const lost: string[] = []
    holdfast.on('lost', ({ reason }) => lost.push(reason))
    const hold = await holdfast.lock(name).acquire()
    await client.call('DEL', name)
    await place.eventually(() => lost.length > 0)
    expect(lost).toEqual(['not-in-store'])
    await place.pass(400)
    expect(await client.call('EXISTS', name)).toBe(0)
    await expect(hold.release()).rejects.toThrow(LockLostError)
    expect(await client.call('EXISTS', name)).toBe(0)
  })
})
