/** Grants that the server makes by itself: with which lease, and when the client believes them without asking. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Clock, SystemClock } from '../../src/core/clock.js'
import { PrivateServer } from '../redisson/private-server.js'
import { standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { type FairClient, WATCHDOG_MS } from './client.js'
import { lockName, RedisPlace } from './places.js'

let server: PrivateServer
let place: RedisPlace
let name: string
let holder: FairClient
let waiter: FairClient

beforeAll(async () => {
  server = await PrivateServer.bring()
  place = new RedisPlace('a server of its own', () => server.client())
})
beforeEach(() => {
  name = lockName()
  holder = place.client()
  waiter = place.client()
})
afterEach(async () => {
  await server.ask('CONFIG', 'SET', 'maxmemory', '0')
  await place.close()
})
afterAll(() => server.stop())

/** A clock that has nothing to do with the server's. */
class AnotherClock implements Clock {
  readonly #system = new SystemClock()
  constructor(private readonly aheadMs: number) {}
  now(): number {
    return this.#system.now() + this.aheadMs
  }
  startTimer(callback: () => void, delayMs: number): ReturnType<Clock['startTimer']> {
    return this.#system.startTimer(callback, delayMs)
  }
}

test('what was told is believed without a command, with the lease it has', async () => {
  const clock = new SystemClock()
  const client = place.client({ waiterLeaseMs: 4_000, clock })
  const first = await holder.take(name)
  const joinedAt = clock.now()
  const next = await client.joinLine(name)
  await place.pass(2)
  const releasedAt = clock.now()
  await holder.release(name, first)
  await client.toldOf(next)
  const commands = await server.calls('evalsha')
  const reply = await client.granted(name, next)
  expect(await server.calls('evalsha')).toBe(commands)
  const granted = reply.outcome === 'granted' ? reply.granted : undefined
  if (!granted) throw new Error('answered without what was told')
  // Its own, not the releaser's: it is the time in which this client gives news of itself.
  expect(granted.leaseMs).toBe(4_000)
  // Never later than it was: the lease must not be believed to last longer than it does.
  expect(granted.since).toBeGreaterThanOrEqual(joinedAt)
  expect(granted.since).toBeLessThanOrEqual(clock.now())
  const left = Number(await place.ask(name, 'PTTL', name))
  expect(granted.since + granted.leaseMs).toBeLessThanOrEqual(clock.now() + left + 1)
  expect(granted.since + granted.leaseMs).toBeGreaterThan(releasedAt)
  expect(await client.port.renew([{ name, owner: next, leaseMs: WATCHDOG_MS }])[0]).toBe(true)
  expect(Number(await place.ask(name, 'PTTL', name))).toBeGreaterThan(5_000)
  await client.release(name, next)
})

test('it is believed once: whoever asks again asks the server', async () => {
  const first = await holder.take(name)
  const next = await waiter.joinLine(name)
  await place.pass(2)
  await holder.release(name, first)
  await waiter.toldOf(next)
  await waiter.granted(name, next)
  await waiter.port.abandon(waiter.request(name, next))
  const again = await holder.take(name)
  await waiter.refused(name, next)
  await holder.release(name, again)
})

test('a grant that is taken up late is confirmed by the server', async () => {
  const slow = place.client({ waiterLeaseMs: 600 })
  const first = await holder.take(name)
  const next = await slow.joinLine(name)
  await place.pass(2)
  await holder.release(name, first)
  await slow.toldOf(next)
  await place.pass(610)
  // Its lease has ended, and the lock is another's.
  const other = await holder.take(name)
  await slow.refused(name, next)
  await holder.release(name, other)
})

test('an explicit lease is set by a command, exactly as it was asked for', async () => {
  const first = await holder.take(name)
  const long = waiter.owner()
  await waiter.watch(name)
  await waiter.refused(name, long, { leaseMs: 60_000 })
  const short = waiter.owner()
  await waiter.refused(name, short, { leaseMs: 100 })
  await holder.release(name, first)
  await waiter.toldOf(long)
  expect(await waiter.granted(name, long, { leaseMs: 60_000 })).toEqual({ outcome: 'granted' })
  expect(Number(await place.ask(name, 'PTTL', name))).toBeGreaterThan(50_000)
  await waiter.keepUp(name)
  await waiter.release(name, long)
  await waiter.toldOf(short)
  await waiter.granted(name, short, { leaseMs: 100 })
  expect(Number(await place.ask(name, 'PTTL', name))).toBeLessThanOrEqual(100)
  await waiter.release(name, short)
})

test('#1104 a client’s clock does not count: hours ahead or behind, it stands in the same line', async () => {
  const fast = place.client({ clock: new AnotherClock(7_200_000) })
  const slow = place.client({ clock: new AnotherClock(-7_200_000) })
  const first = await holder.take(name)
  const inLine = [
    { client: slow, owner: await slow.joinLine(name) },
    { client: fast, owner: await fast.joinLine(name) },
    { client: waiter, owner: await waiter.joinLine(name) },
  ]
  let [current, owner] = [holder, first]
  for (const next of inLine) {
    await place.pass(2)
    for (const { client } of inLine) await client.keepUp(name)
    await current.release(name, owner)
    await next.client.toldOf(next.owner)
    await next.client.granted(name, next.owner)
    ;[current, owner] = [next.client, next.owner]
  }
  await current.release(name, owner)
})

test('a release and a hand-over in line are one command and one message', async () => {
  const first = await holder.take(name)
  const next = await waiter.joinLine(name)
  const others = await Promise.all(
    [1, 2, 3].map(async () => {
      const client = place.client()
      await client.joinLine(name)
      return client
    }),
  )
  await place.pass(2)
  const [commands, messages] = [await server.calls('evalsha'), await server.calls('publish')]
  await holder.release(name, first)
  await waiter.toldOf(next)
  await waiter.granted(name, next)
  expect((await server.calls('evalsha')) - commands).toBe(1)
  expect((await server.calls('publish')) - messages).toBe(1)
  expect(others.flatMap(({ heard }) => heard)).toEqual([])
  await waiter.release(name, next)
})

test('a full server: nobody joins, nothing is half done, and those who are there go on', async () => {
  const first = await holder.take(name)
  const patient = place.client({ waiterLeaseMs: 1_000 })
  const next = await patient.joinLine(name)
  await server.ask('CONFIG', 'SET', 'maxmemory', '1')
  const late = holder.owner()
  await expect(holder.acquire(name, late)).rejects.toMatchObject({ reason: 'out-of-memory' })
  expect(await place.ask(name, 'ZRANGE', `holdfast_fair_line:{${name}}`, 0, -1)).toEqual([next])
  await patient.keepUp(name)
  await place.pass(600)
  await patient.keepUp(name)
  await place.pass(600)
  await holder.release(name, first)
  await patient.toldOf(next)
  await patient.granted(name, next)
  await patient.release(name, next)
  expect(await place.keys(name)).toEqual([])
})

test('a client that may not publish: the next one finds its grant when it keeps up its place', async () => {
  await server.ask('ACL', 'SETUSER', 'mute', 'on', '>secret', '~*', '+@all', 'resetchannels')
  const { host, port } = server.server
  const mute = new RedisPlace('a user without channels', () =>
    standaloneClient({ host, port, username: 'mute', password: 'secret' }),
  )
  const silent = mute.client()
  const first = await silent.take(name)
  const next = await waiter.joinLine(name)
  const last = await waiter.joinLine(name)
  expect(await silent.release(name, first)).toBe('released')
  await eventually(() => silent.errors.length > 0)
  expect(silent.errors).toMatchObject([{ reason: 'permission' }])
  expect((await waiter.keepUp(name)).askAgain).toBe(true)
  await waiter.granted(name, next)
  expect((await waiter.keepUp(name)).askAgain).toBe(false)
  await waiter.release(name, next)
  await waiter.toldOf(last)
  await waiter.granted(name, last)
  await waiter.release(name, last)
  await mute.close()
})
