/** RedissonFairLockTest's tests about drift, under its names. */
import { afterEach, describe, expect, inject, test } from 'vitest'
import type { Hold } from '../../src/index.js'
import { later } from '../setup/later.js'
import { placeOf } from '../setup/places.js'
import { inLine, longestFirstLeaseMs, queueUp } from './fair-line.js'
import { Forked } from './forked.js'

const place = placeOf('standalone')

afterEach(async () => {
  await Forked.killAll()
  await place.tidy()
})

function clientOf(owner: string): string {
  return owner.slice(0, owner.lastIndexOf(':'))
}

/** How many connections hear what that owner's process is told. */
async function reaches(owner: string): Promise<number> {
  const counted = await place.client().call('PUBSUB', 'NUMSUB', `holdfast:${clientOf(owner)}`)
  return Array.isArray(counted) ? Number(counted[1]) : 0
}

// Redisson reckons for each waiter when it may give up those before it, from the waits that callers asked for, and shifts these
// times when somebody leaves; they drift. Here a place has a number, which never changes, and what is granted to
// a process lasts one short lease until it takes over, which is independent of how long anybody wants to wait. So there is nothing to shift.
describe('drift', () => {
  const watchdogMs = 1_500
  const firstLeaseMs = watchdogMs / 3

  test('testWaitTimeoutDrift: many that give up move no place of those who stay', async () => {
    const name = place.lockName()
    const first = await place.holdfast().fairLock(name).acquire()
    const patient = place.holdfast({ watchdogMs })
    const wait = patient.fairLock(name).acquire()
    await place.eventually(async () => (await inLine(place, name)).length === 1)
    const [before] = await inLine(place, name)
    const impatient = place.holdfast({ watchdogMs })
    for (let round = 0; round < 3; round += 1) {
      const refused = await Promise.all(
        Array.from({ length: 10 }, () => impatient.fairLock(name).tryAcquire({ waitMs: 100 })),
      )
      expect(refused.every((hold) => hold === null)).toBe(true)
      expect(await inLine(place, name)).toEqual([before])
      expect(await longestFirstLeaseMs(place, name)).toBeLessThanOrEqual(firstLeaseMs)
    }
    await first.release()
    await (await wait).release()
  })

  test('testLockAcquiredTimeoutDrift: many that get it move no place of those who wait', async () => {
    const name = place.lockName()
    const [even, odd] = [place.holdfast({ watchdogMs }), place.holdfast({ watchdogMs })]
    const served: number[] = []
    const sections = Array.from({ length: 60 }, async (_, index) => {
      const holdfast = index % 2 ? even : odd
      await holdfast.fairLock(name).withLock({ waitMs: 60_000 }, async () => {
        served.push(index)
        expect(await longestFirstLeaseMs(place, name)).toBeLessThanOrEqual(firstLeaseMs)
      })
    })
    await Promise.all(sections)
    expect(served).toHaveLength(60)
    expect(await inLine(place, name)).toEqual([])
  })

  test('testFirstThreadDeathTimeoutDrift: the first in line dies: the next is served, with its place unchanged', async () => {
    const name = place.lockName()
    const { host, port } = inject('servers').standalone
    const first = await place.holdfast().fairLock(name).acquire()
    const fixture = new URL('../line/waiter.fixture.ts', import.meta.url)
    const child = Forked.start(fixture, { server: { host, port }, name, watchdogMs })
    expect(await child.told()).toBe('waiting')
    // It says so before it stands in line.
    await place.eventually(async () => (await inLine(place, name)).length === 1)
    const wait = place.holdfast({ watchdogMs }).fairLock(name).acquire()
    // What fails before it is awaited closes its client: that is no fault of its own.
    wait.catch(() => undefined)
    await place.eventually(async () => (await inLine(place, name)).length === 2)
    const [dead = '', next = ''] = await inLine(place, name)
    const placeOfNext = (): Promise<unknown> =>
      place.client().call('ZSCORE', `holdfast_line:{${name}}`, `x:${next}`)
    const before = await placeOfNext()
    await child.kill()
    // The server hears of it, too.
    await place.eventually(async () => (await reaches(dead)) === 0)
    expect(await placeOfNext()).toBe(before)
    expect(await longestFirstLeaseMs(place, name)).toBeLessThanOrEqual(firstLeaseMs)
    await first.release()
    const hold = await wait
    expect(hold.owner).toBe(next)
    // Passed over, without a grant; its place ends by itself.
    const processes = await place.client().call('HGET', `holdfast_processes:{${name}}`, clientOf(dead))
    expect(processes === null || Number(String(processes).split(' ')[2]) > 0).toBe(true)
    await hold.release()
  })

  test('testAcquireFailedTimeoutDrift_Descrete: each is told the holder’s time left, and one that fails shifts nobody', async () => {
    const name = place.lockName()
    const hold = await place.holdfast().fairLock(name).acquire({ leaseMs: 30_000 })
    const told: number[] = []
    const leave = new AbortController()
    const served: number[] = []
    const waits = await queueUp(place, name, 3, (holdfast, index) => {
      holdfast.on('waiting', ({ remainingMs }) => told.push(remainingMs))
      const options = index === 1 ? { signal: leave.signal } : {}
      return holdfast.fairLock(name).withLock(options, () => served.push(index))
    })
    await place.eventually(() => told.length === 3)
    // Not 30, 35 and 40 seconds: nobody's time depends on how many are before it.
    expect(told.filter((remainingMs) => remainingMs <= 30_000)).toHaveLength(3)
    const [first, , last] = await inLine(place, name)
    const failed = later(expect(waits[1]).rejects.toThrow('left'))
    leave.abort(new Error('left'))
    await failed
    await place.eventually(async () => (await inLine(place, name)).length === 2)
    expect(await inLine(place, name)).toEqual([first, last])
    await hold.release()
    await Promise.all([waits[0], waits[2]])
    expect(served).toEqual([0, 2])
  })

  test('testLockAcquiredTimeoutDrift_Descrete: a grant takes one out of the line and changes no other place', async () => {
    const name = place.lockName()
    const hold = await place.holdfast().fairLock(name).acquire()
    const holds: Hold[] = []
    const waits = await queueUp(place, name, 3, async (holdfast) => {
      holds.push(await holdfast.fairLock(name).acquire())
    })
    const scores = async (): Promise<unknown> =>
      await place.client().call('ZRANGE', `holdfast_line:{${name}}`, 1, -1, 'WITHSCORES')
    const [, second, third] = await inLine(place, name)
    const places = await scores()
    await hold.release()
    await waits[0]
    expect(await inLine(place, name)).toEqual([second, third])
    expect(await place.client().call('ZRANGE', `holdfast_line:{${name}}`, 0, -1, 'WITHSCORES')).toEqual(
      places,
    )
    for (let index = 0; index < 3; index += 1) {
      await waits[index]
      await holds[index]?.release()
    }
  })

  test('testLockAcquiredBooleanTimeoutDrift_Descrete: an attempt without a wait never has a place', async () => {
    const name = place.lockName()
    const holdfast = place.holdfast()
    await holdfast.run(async () => {
      const lock = holdfast.fairLock(name)
      expect(await lock.tryLock()).toBe(true)
      const stranger = place.holdfast()
      expect(await stranger.fairLock(name).tryAcquire()).toBeNull()
      const wait = stranger.fairLock(name).acquire()
      await place.eventually(async () => (await inLine(place, name)).length === 1)
      const before = await inLine(place, name)
      expect(await place.holdfast().fairLock(name).tryAcquire()).toBeNull()
      expect(await inLine(place, name)).toEqual(before)
      await lock.unlock()
      // The line goes first.
      const hold = await wait
      expect(await lock.tryLock()).toBe(false)
      await hold.release()
      expect(await lock.tryLock()).toBe(true)
      await lock.unlock()
    })
  })

  // Redisson evicts such heads only once the times reckoned for them have passed, which may be minutes.
  test('testAbandonedTimeoutDrift_Descrete, #5503: abandoned places at the head of the line cost nothing', async () => {
    const name = place.lockName()
    const hold = await place.holdfast().fairLock(name).acquire()
    for (const score of [-3, -2, -1]) {
      const gone = `x:00000000-0000-4000-8000-00000000000${-score}:1`
      await place.client().call('ZADD', `holdfast_line:{${name}}`, score, gone)
      await place
        .client()
        .call('HSET', `holdfast_processes:{${name}}`, clientOf(gone.slice(2)), '9000000000000000 1000 0 1')
    }
    const wait = place.holdfast().fairLock(name).acquire()
    await place.eventually(async () => (await inLine(place, name)).length === 4)
    await hold.release()
    const next = await wait
    // Passed over: nobody hears what they are told.
    expect(await inLine(place, name)).not.toContain(next.owner)
    await next.release()
  })
})
