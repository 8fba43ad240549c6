/** What others got wrong about the leases of readers and writers: each hold's is its own. */
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { inTime } from '../../src/conformance/outcome.js'
import { Holdfast } from '../../src/index.js'
import { MemoryStore, VirtualClock } from '../../src/memory/index.js'
import { runsOr } from '../properties/runs.js'
import { sidesOf } from '../redisson/read-write-sides.js'
import { type PlaceName, placeOf } from '../setup/places.js'

const places: readonly PlaceName[] = ['memory-virtual-time', 'standalone']

describe.each(places)('read-write lock, %s', (placeName) => {
  const place = placeOf(placeName)
  const watchdogMs = 900

  afterEach(() => place.tidy())

  test('redisson#1458, PR#7098: a dead reader with four holds is gone after its lease, though another reads and renews', async () => {
    const name = place.lockName()
    const dead = place.holdfast({ watchdogMs })
    await dead.run(async () => {
      for (let depth = 0; depth < 4; depth += 1) await dead.readWriteLock(name).readLock().lock()
      expect(await dead.readWriteLock(name).readLock().holdCount()).toBe(4)
      // It dies: nothing is released, nothing is renewed.
      await dead.close()
    })
    const alive = place.holdfast({ watchdogMs })
    const { read } = sidesOf(alive.readWriteLock(name))
    let renewals = 0
    alive.on('renewed', () => {
      renewals += 1
    })
    const hold = await read.acquire()
    await place.eventually(async () => (await read.inspect()).owners.length === 1)
    await place.eventually(() => renewals >= 4)
    expect((await read.inspect()).owners).toMatchObject([{ owner: hold.owner, holds: 1 }])
    await hold.release()
    const writer = await place.holdfast().readWriteLock(name).writeLock().tryAcquire()
    expect(writer).not.toBeNull()
    await writer?.release()
  })

  test('redisson#2144: a reader with a short lease that dies takes nothing from one with a long lease', async () => {
    const name = place.lockName()
    const { read, write } = sidesOf(place.holdfast().readWriteLock(name))
    const long = await read.acquire({ leaseMs: 60_000 })
    const dead = place.holdfast()
    await dead.readWriteLock(name).readLock().acquire({ leaseMs: 200 })
    await dead.close()
    await place.eventually(async () => (await read.inspect()).owners.length === 1)
    expect(await read.remainingMs()).toBeGreaterThan(50_000)
    expect(await place.holdfast().readWriteLock(name).writeLock().tryAcquire()).toBeNull()
    long.assertHeld()
    await long.release()
    expect(await write.isLocked()).toBe(false)
  })

  test('redisson#4217: after the write is given back, the read that goes on is renewed as before', async () => {
    const holdfast = place.holdfast({ watchdogMs })
    const { read, write } = sidesOf(holdfast.readWriteLock(place.lockName()))
    let renewals = 0
    holdfast.on('renewed', () => {
      renewals += 1
    })
    await inTime(
      place,
      holdfast.run(async () => {
        await write.lock()
        await read.lock()
        await write.unlock()
        renewals = 0
        await place.eventually(() => renewals >= 6)
        expect(await read.holdCount()).toBe(1)
        expect(await write.isLocked()).toBe(false)
        await read.unlock()
      }),
    )
    expect(await read.isLocked()).toBe(false)
  })

  test('redisson#1604: a hundred readers of five instances outlive the watchdog’s lease, and each can unlock', async () => {
    const name = place.lockName()
    // Long enough for a busy machine to be late with a hundred renewals.
    const holdfasts = Array.from({ length: 5 }, () => place.holdfast({ watchdogMs: 2_000 }))
    const lost: unknown[] = []
    const rounds = new Map<number, number>()
    for (const [index, holdfast] of holdfasts.entries()) {
      holdfast.on('lost', (event) => lost.push(event))
      holdfast.on('renewed', () => rounds.set(index, (rounds.get(index) ?? 0) + 1))
    }
    const holds = await Promise.all(
      Array.from({ length: 100 }, (_, index) => {
        const lock = holdfasts[index % 5]?.readWriteLock(name)
        return lock?.readLock().acquire()
      }),
    )
    // Three renewals of a third of the lease each: without them every hold would have ended.
    await place.eventually(() => holdfasts.every((_, index) => (rounds.get(index) ?? 0) >= 20 * 4))
    await Promise.all(holds.map((hold) => hold?.release()))
    expect(lost).toEqual([])
    expect(await holdfasts[0]?.readWriteLock(name).readLock().isLocked()).toBe(false)
  })

  test('redisson#891: write, read, read given back: the write is still held, and can be given back', async () => {
    const holdfast = place.holdfast()
    const name = place.lockName()
    const { read, write } = sidesOf(holdfast.readWriteLock(name))
    await holdfast.run(async () => {
      await write.lock()
      await read.lock()
      await read.unlock()
      expect(await write.isHeld()).toBe(true)
      for (const side of ['read', 'write'] as const)
        expect(await sidesOf(place.holdfast().readWriteLock(name))[side].tryAcquire()).toBeNull()
      await write.unlock()
      expect(await write.isLocked()).toBe(false)
    })
  })

  test('redisson PR#7251: a read that was held several times over and given back as often is not renewed any more', async () => {
    const holdfast = place.holdfast({ watchdogMs })
    const { read } = sidesOf(holdfast.readWriteLock(place.lockName()))
    await holdfast.run(async () => {
      for (let depth = 0; depth < 5; depth += 1) await read.lock()
      for (let depth = 0; depth < 5; depth += 1) await read.unlock()
    })
    expect(holdfast.census.watched).toBe(0)
    const hold = await read.acquire({ leaseMs: 600 })
    const ended: string[] = []
    holdfast.on('lost', ({ reason }) => ended.push(reason))
    await place.eventually(() => ended.length > 0)
    await expect(hold.release()).rejects.toHaveProperty('code', 'LOCK_LOST')
  })
})

describe('the arithmetic of readers’ leases', () => {
  /** How much later than a holder's lease ends it is looked for. */
  const lateMs = 2
  /** How much later than a nearer end the head of the line may look without being told of it. */
  const slackMs = 50
  const reader = fc.record({
    leaseMs: fc.integer({ min: 10, max: 3_000 }),
    releasedAfterMs: fc.option(fc.integer({ min: 1, max: 3_000 }), { nil: undefined }),
  })

  test('redisson#1458, #2144: a writer enters when the last reader’s own lease ends or is given back, and not before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(reader, { minLength: 1, maxLength: 6 }), async (readers) => {
        const clock = new VirtualClock()
        const store = new MemoryStore(clock)
        const holdfasts = readers.map(() => new Holdfast(store))
        const ends = await Promise.all(
          readers.map(async ({ leaseMs, releasedAfterMs = leaseMs }, index) => {
            const hold = await holdfasts[index]?.readWriteLock('lock').readLock().acquire({ leaseMs })
            // The holder's own reckoning is up a little before: from then on there is nothing to give back.
            const givesBack = releasedAfterMs < leaseMs * 0.99 - 2
            if (givesBack) clock.startTimer(() => void hold?.release(), releasedAfterMs)
            return { givesBack, at: givesBack ? releasedAfterMs : leaseMs }
          }),
        )
        const last = ends.reduce((latest, end) => (end.at > latest.at ? end : latest))
        const writer = new Holdfast(store)
        let enteredAt = Number.NaN
        const wait = writer
          .readWriteLock('lock')
          .writeLock()
          .withLock(() => {
            enteredAt = clock.now()
          })
        await clock.advance(6_000)
        await wait
        expect(enteredAt).toBeGreaterThanOrEqual(last.at)
        // Who went before its time may have had a longer lease than the last: then that is what the writer waited for.
        const misled = !last.givesBack && ends.some(({ givesBack }) => givesBack)
        expect(enteredAt).toBeLessThanOrEqual(last.at + lateMs + (misled ? slackMs : 0))
        await Promise.all([...holdfasts, writer].map((holdfast) => holdfast.close()))
      }),
      runsOr(150),
    )
  })
})
