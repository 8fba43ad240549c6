/** RedissonFairLockTest, under its names. */
import { afterEach, describe, expect, inject, test } from 'vitest'
import { type Hold, Holdfast, type HoldfastOptions, type RedisClient } from '../../src/index.js'
import { standaloneClient } from '../setup/clients.js'
import { placeOf } from '../setup/places.js'
import { Forked } from './forked.js'
import { PrivateServer } from './private-server.js'

const place = placeOf('standalone')

afterEach(async () => {
  await Forked.killAll()
  await place.tidy()
})

async function inLine(name: string): Promise<string[]> {
  const owners = await place.client().call('ZRANGE', `holdfast_fair_line:{${name}}`, 0, -1)
  return Array.isArray(owners) ? owners.map(String) : []
}

/** When the last place lapses, in milliseconds from now by the server. */
async function longestPlaceMs(name: string): Promise<number> {
  const client = place.client()
  const time = await client.call('TIME')
  const [seconds, microseconds] = Array.isArray(time) ? time.map(Number) : []
  const places = await client.call('HVALS', `holdfast_fair_alive:{${name}}`)
  const lapses = (Array.isArray(places) ? places : []).map((text) => Number(String(text).split(' ')[0]))
  return Math.max(0, ...lapses) - (seconds ?? 0) * 1_000 - (microseconds ?? 0) / 1_000
}

/** As many clients, each waiting, in this order. */
async function queueUp(
  name: string,
  count: number,
  wait: (holdfast: Holdfast, index: number) => Promise<unknown>,
  options?: HoldfastOptions,
): Promise<Promise<unknown>[]> {
  const waits: Promise<unknown>[] = []
  for (let index = 0; index < count; index += 1) {
    waits.push(wait(place.holdfast(options), index))
    await place.eventually(async () => (await inLine(name)).length === index + 1)
  }
  return waits
}

describe('order', () => {
  test('testConcurrency_MultiInstance_Ordering: instances are served in the order they came', async () => {
    const name = place.lockName()
    const first = await place.holdfast().fairLock(name).acquire()
    const served: number[] = []
    const waits = await queueUp(name, 10, (holdfast, index) =>
      holdfast.fairLock(name).withLock(() => served.push(index)),
    )
    await first.release()
    await Promise.all(waits)
    expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('testLeaseTimeout: eight waiters whose leases end without an unlock are served in turn', async () => {
    const name = place.lockName()
    await place.holdfast().fairLock(name).acquire({ leaseMs: 600 })
    const served: number[] = []
    const waits = await queueUp(name, 8, async (holdfast, index) => {
      await holdfast.fairLock(name).acquire({ leaseMs: 100 })
      served.push(index)
    })
    await Promise.all(waits)
    expect(served).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  test('testMultipleLocks: 500 tasks over several locks all finish', async () => {
    const names = Array.from({ length: 5 }, () => place.lockName())
    const holdfasts = Array.from({ length: 5 }, () => place.holdfast())
    let done = 0
    const tasks = Array.from({ length: 500 }, async (_, index) => {
      const lock = holdfasts[index % 5]?.fairLock(names[Math.floor(index / 5) % 5] ?? '')
      await lock?.withLock(() => {
        done += 1
      })
    })
    await Promise.all(tasks)
    expect(done).toBe(500)
    for (const name of names) expect(await inLine(name)).toEqual([])
  })

  test('testTryLockNonDelayed: who gave up leaves nothing, and a later tryLock without a wait gets the lock', async () => {
    const lock = place.holdfast().fairLock(place.lockName())
    const hold = await lock.acquire()
    const other = place.holdfast().fairLock(lock.name)
    expect(await other.tryAcquire({ waitMs: 200 })).toBeNull()
    expect(await inLine(lock.name)).toEqual([])
    await hold.release()
    const next = await other.tryAcquire()
    expect(next).not.toBeNull()
    await next?.release()
  })
})

// Redisson reckons for each waiter when it may give up those before it, from the waits that callers asked for, and shifts these
// times when somebody leaves; they drift. Here a place has a number, which never changes, and a client has one short lease for all
// its places, by the server's clock, which is independent of how long anybody wants to wait. So there is nothing to shift.
describe('drift', () => {
  const watchdogMs = 1_500
  const placeMs = watchdogMs / 3

  test('testWaitTimeoutDrift: many that give up move no place of those who stay', async () => {
    const name = place.lockName()
    const first = await place.holdfast().fairLock(name).acquire()
    const patient = place.holdfast({ watchdogMs })
    const wait = patient.fairLock(name).acquire()
    await place.eventually(async () => (await inLine(name)).length === 1)
    const [before] = await inLine(name)
    const impatient = place.holdfast({ watchdogMs })
    for (let round = 0; round < 3; round += 1) {
      const refused = await Promise.all(
        Array.from({ length: 10 }, () => impatient.fairLock(name).tryAcquire({ waitMs: 100 })),
      )
      expect(refused.every((hold) => hold === null)).toBe(true)
      expect(await inLine(name)).toEqual([before])
      expect(await longestPlaceMs(name)).toBeLessThanOrEqual(placeMs)
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
        expect(await longestPlaceMs(name)).toBeLessThanOrEqual(placeMs)
      })
    })
    await Promise.all(sections)
    expect(served).toHaveLength(60)
    expect(await inLine(name)).toEqual([])
  })

  test('testFirstThreadDeathTimeoutDrift: the first in line dies: the next is served, with its place unchanged', async () => {
    const name = place.lockName()
    const { host, port } = inject('servers').standalone
    const first = await place.holdfast().fairLock(name).acquire()
    const fixture = new URL('../fair/waiter.fixture.ts', import.meta.url)
    const child = Forked.start(fixture, { server: { host, port }, name, watchdogMs })
    expect(await child.told()).toBe('waiting')
    const wait = place.holdfast({ watchdogMs }).fairLock(name).acquire()
    await place.eventually(async () => (await inLine(name)).length === 2)
    await child.kill()
    expect(await longestPlaceMs(name)).toBeLessThanOrEqual(placeMs)
    await first.release()
    const hold = await wait
    expect(await inLine(name)).toEqual([])
    await hold.release()
  })

  test('testAcquireFailedTimeoutDrift_Descrete: each is told the holder’s time left, and one that fails shifts nobody', async () => {
    const name = place.lockName()
    const hold = await place.holdfast().fairLock(name).acquire({ leaseMs: 30_000 })
    const told: number[] = []
    const leave = new AbortController()
    const served: number[] = []
    const waits = await queueUp(name, 3, (holdfast, index) => {
      holdfast.on('waiting', ({ remainingMs }) => told.push(remainingMs))
      const options = index === 1 ? { signal: leave.signal } : {}
      return holdfast.fairLock(name).withLock(options, () => served.push(index))
    })
    // Not 30, 35 and 40 seconds: nobody's time depends on how many are before it.
    expect(told.filter((remainingMs) => remainingMs <= 30_000)).toHaveLength(3)
    const [first, , last] = await inLine(name)
    const failed = expect(waits[1]).rejects.toThrow('left')
    leave.abort(new Error('left'))
    await failed
    await place.eventually(async () => (await inLine(name)).length === 2)
    expect(await inLine(name)).toEqual([first, last])
    await hold.release()
    await Promise.all([waits[0], waits[2]])
    expect(served).toEqual([0, 2])
  })

  test('testLockAcquiredTimeoutDrift_Descrete: a grant takes one out of the line and changes no other place', async () => {
    const name = place.lockName()
    const hold = await place.holdfast().fairLock(name).acquire()
    const holds: Hold[] = []
    const waits = await queueUp(name, 3, async (holdfast) => {
      holds.push(await holdfast.fairLock(name).acquire())
    })
    const scores = async (): Promise<unknown> =>
      await place.client().call('ZRANGE', `holdfast_fair_line:{${name}}`, 1, -1, 'WITHSCORES')
    const [, second, third] = await inLine(name)
    const places = await scores()
    await hold.release()
    await waits[0]
    expect(await inLine(name)).toEqual([second, third])
    expect(await place.client().call('ZRANGE', `holdfast_fair_line:{${name}}`, 0, -1, 'WITHSCORES')).toEqual(
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
      await place.eventually(async () => (await inLine(name)).length === 1)
      const before = await inLine(name)
      expect(await place.holdfast().fairLock(name).tryAcquire()).toBeNull()
      expect(await inLine(name)).toEqual(before)
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
  test('testAbandonedTimeoutDrift_Descrete: abandoned places at the head of the line cost nothing', async () => {
    const name = place.lockName()
    const hold = await place.holdfast().fairLock(name).acquire()
    for (const score of [-3, -2, -1]) {
      const gone = `00000000-0000-4000-8000-00000000000${-score}:1`
      await place.client().call('ZADD', `holdfast_fair_line:{${name}}`, score, gone)
    }
    const wait = place.holdfast().fairLock(name).acquire()
    await place.eventually(async () => (await inLine(name)).length === 4)
    await hold.release()
    const next = await wait
    expect(await inLine(name)).toEqual([])
    await next.release()
  })
})

describe('names and failures', () => {
  test('testNameMapper: the line is kept under the mapped name, which is the one with the keyPrefix', async () => {
    const server = await PrivateServer.bring()
    try {
      const { host, port } = server.server
      const client = (): RedisClient => standaloneClient({ host, port, keyPrefix: 'mapped:' })
      const [one, two] = [new Holdfast(client()), new Holdfast(client())]
      const hold = await one.fairLock('name').acquire()
      const wait = two.fairLock('name').acquire()
      await place.eventually(async () => String(await server.ask('KEYS', '*')).includes('line'))
      const keys = await server.ask('KEYS', '*')
      expect(new Set(Array.isArray(keys) ? keys : [])).toEqual(
        new Set(['mapped:name', 'holdfast_fair_line:{mapped:name}', 'holdfast_fair_alive:{mapped:name}']),
      )
      await hold.release()
      await (await wait).release()
      expect(await server.ask('KEYS', '*')).toEqual([])
      await Promise.all([one.close(), two.close()])
    } finally {
      await server.stop()
    }
  })

  test('testAcquireFailedNotCalledOnRedisTimeout: a server that pauses: false, no exception, and no place is left', async () => {
    const server = await PrivateServer.bring()
    try {
      const holding = server.holdfast()
      const hold = await holding.fairLock('paused').acquire()
      const waiting = server.holdfast({ commandTimeoutMs: 400 })
      const attempt = waiting.fairLock('paused').tryAcquire({ waitMs: 700 })
      const line = (): Promise<unknown> => server.ask('ZCARD', 'holdfast_fair_line:{paused}')
      await place.eventually(line, (count) => count === 1)
      await server.ask('CLIENT', 'PAUSE', 1_500)
      expect(await attempt).toBeNull()
      await place.eventually(line, (count) => count === 0)
      await hold.release()
      await server.tidy()
    } finally {
      await server.stop()
    }
  })
})
