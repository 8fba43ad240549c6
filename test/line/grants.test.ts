/** Grants that the server makes by itself: with which lease, and when the client believes them without asking. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SystemClock } from '../../src/base/time/clock.js'
import type { Lock } from '../../src/index.js'
import { PrivateServer } from '../redisson/private-server.js'
import { standaloneClient } from '../setup/clients.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { LineClient } from '../setup/port-client.js'
import { lockName, RedisPlace } from '../setup/port-place.js'

let name: string
let holder: LineClient
let waiter: LineClient

const server = duringAll(() => PrivateServer.bring())
const place = new RedisPlace('a server of its own', LineClient, () => server.client())
beforeEach(() => {
  name = lockName()
  holder = place.client()
  waiter = place.client()
})
afterEach(async () => {
  await server.ask('CONFIG', 'SET', 'maxmemory', '0')
  await place.close()
  await server.tidy()
})

/** A clock that has nothing to do with the server's. */
class AnotherClock extends SystemClock {
  constructor(private readonly aheadMs: number) {
    super()
  }

  override now(): number {
    return super.now() + this.aheadMs
  }
}

async function ttl(): Promise<number> {
  return Number(await server.ask('PTTL', name))
}

describe.each(['lock', 'fair'] as const)('%s', (kind) => {
  test('what was told is believed without a command, with the lease it has', async () => {
    const clock = new SystemClock()
    const client = place.client({ firstLeaseMs: 4_000, clock })
    const first = await holder.take(kind, name)
    const joinedAt = clock.now()
    const next = await client.joinLine(kind, name)
    await place.pass(2)
    const releasedAt = clock.now()
    await holder.release(kind, name, first)
    await client.hears(`${kind} ${next}`)
    const commands = await server.calls('evalsha')
    const { granted } = await client.granted(kind, name, next)
    expect(await server.calls('evalsha')).toBe(commands)
    if (!granted) throw new Error('answered without what was told')
    // Its own, not the releaser's: it is the time in which this client takes over.
    expect(granted.leaseMs).toBe(4_000)
    // Never later than it was: the lease must not be believed to last longer than it does.
    expect(granted.since).toBeGreaterThanOrEqual(joinedAt)
    expect(granted.since).toBeLessThanOrEqual(clock.now())
    const left = await ttl()
    expect(granted.since + granted.leaseMs).toBeLessThanOrEqual(clock.now() + left + 1)
    expect(granted.since + granted.leaseMs).toBeGreaterThan(releasedAt)
    expect(await client.renew(kind, name, next)).toBe(true)
    expect(await ttl()).toBeGreaterThan(5_000)
    await client.release(kind, name, next)
  })

  test('an explicit lease is set by a command, exactly, whoever of its process asked for the place; no late copy shortens a nested one', async () => {
    const first = await holder.take(kind, name)
    const next = await waiter.joinLine(kind, name)
    const other = place.client()
    const short = await other.joinLine(kind, name, { leaseMs: 100 })
    await holder.release(kind, name, first)
    expect(await waiter.enters(kind, name, next, { leaseMs: 5_000 })).toEqual({ outcome: 'granted' })
    expect(await ttl()).toBeLessThanOrEqual(5_000)
    expect(await ttl()).toBeGreaterThan(4_000)
    await waiter.granted(kind, name, next, { leaseMs: 60_000, heldBefore: 1 })
    await waiter.granted(kind, name, next, { leaseMs: 5_000 })
    expect(await ttl()).toBeGreaterThan(50_000)
    await waiter.abandon(kind, name, next)
    await other.enters(kind, name, short, { leaseMs: 100 })
    expect(await ttl()).toBeLessThanOrEqual(100)
    await other.release(kind, name, short)
  })

  test('#1104 a client’s clock does not count: hours ahead or behind, it stands in the same line', async () => {
    const fast = place.client({ clock: new AnotherClock(7_200_000) })
    const slow = place.client({ clock: new AnotherClock(-7_200_000) })
    const first = await holder.take(kind, name)
    const inLine = [
      { client: slow, owner: await slow.joinLine(kind, name) },
      { client: fast, owner: await fast.joinLine(kind, name) },
      { client: waiter, owner: await waiter.joinLine(kind, name) },
    ]
    let [current, owner] = [holder, first]
    for (const [index, next] of inLine.entries()) {
      for (const { client, owner: waiting } of inLine.slice(index)) await client.refused(kind, name, waiting)
      await place.pass(2)
      await current.release(kind, name, owner)
      await next.client.enters(kind, name, next.owner)
      ;[current, owner] = [next.client, next.owner]
    }
    await current.release(kind, name, owner)
  })

  test('a full server: nobody joins, nothing is half done, and those who are there go on', async () => {
    const first = await holder.take(kind, name)
    const next = await waiter.joinLine(kind, name)
    await server.ask('CONFIG', 'SET', 'maxmemory', '1')
    await expect(holder.acquire(kind, name, holder.owner())).rejects.toMatchObject({
      reason: 'out-of-memory',
    })
    expect(await server.ask('ZRANGE', `holdfast_line:{${name}}`, 0, -1)).toEqual([`x:${next}`])
    await waiter.refused(kind, name, next)
    await waiter.refused(kind, name, next)
    await holder.release(kind, name, first)
    await waiter.passes(kind, name, next)
    expect(await place.server.keys(name)).toEqual([])
  })

  /** A user who may do what those rules say. */
  async function restricted(...rules: string[]): Promise<RedisPlace<LineClient>> {
    await server.ask('ACL', 'SETUSER', 'restricted', 'reset', 'on', '>secret', '~*', '+@all', ...rules)
    const { host, port } = server.server
    return new RedisPlace('a restricted user', LineClient, () =>
      standaloneClient({ host, port, username: 'restricted', password: 'secret' }),
    )
  }

  test('a hand-over that may set no lease leaves the lock as it was', async () => {
    const timeless = await restricted('&*', '-pexpire')
    const first = await holder.take(kind, name, { leaseMs: 20_000 })
    const handOver = timeless.client().handOver(kind, name, first, holder.owner(), 10_000)
    await expect(handOver).rejects.toMatchObject({ reason: 'permission' })
    expect(await holder.holders('lock', name)).toEqual([first])
    expect(await ttl()).toBeGreaterThan(10_000)
    await holder.release(kind, name, first)
    await timeless.close()
  })

  test('a client that may not publish: the next one finds the lock free when it looks', async () => {
    const mute = await restricted('resetchannels')
    const silent = mute.client()
    const first = await silent.take(kind, name)
    const next = await waiter.joinLine(kind, name)
    const last = await waiter.joinLine(kind, name)
    expect(await silent.release(kind, name, first)).toBe('released')
    await eventually(() => silent.errors.length > 0)
    expect(silent.errors.splice(0)).toMatchObject([{ reason: 'permission' }])
    expect(await holder.holders('lock', name)).toEqual([])
    await waiter.granted(kind, name, next)
    await waiter.release(kind, name, next)
    await waiter.passes(kind, name, last)
    await mute.close()
  })

  test('connections break while calls are in line: all are served, and one that nothing reaches is passed over meanwhile', async () => {
    const lock = (): Lock =>
      kind === 'fair' ? server.holdfast().fairLock(name) : server.holdfast().lock(name)
    const hold = await lock().acquire()
    const served: number[] = []
    const waits: Promise<unknown>[] = []
    for (let index = 0; index < 4; index += 1) {
      waits.push(lock().withLock(() => served.push(index)))
      await eventually(async () => (await server.ask('ZCARD', `holdfast_line:{${name}}`)) === index + 1)
    }
    for (const type of ['normal', 'pubsub']) await server.ask('CLIENT', 'KILL', 'TYPE', type)
    await hold.release()
    await Promise.all(waits)
    expect(served.sort()).toEqual([0, 1, 2, 3])
    expect(await place.server.keys(name)).toEqual([])
  })
})
