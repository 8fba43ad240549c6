/** RedissonFairLockTest, under its names. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { Holdfast, type RedisClient } from '../../src/index.js'
import { standaloneClient } from '../setup/clients.js'
import { lasting } from '../setup/lasting.js'
import { tidiedPlace } from '../setup/places.js'
import { inLine, queueUp } from './fair-line.js'
import { PrivateServer } from './private-server.js'

const place = tidiedPlace('standalone')

describe('order', () => {
  test('testLeaseTimeout: eight waiters whose leases end without an unlock are served in turn', async () => {
    const name = place.lockName()
    const first = await place.holdfast().fairLock(name).acquire()
    const served: number[] = []
    const serve = async (holdfast: Holdfast, index: number): Promise<void> => {
      await holdfast.fairLock(name).acquire({ leaseMs: 400 })
      served.push(index)
    }
    const waits = await queueUp(place, name, 8, serve, { watchdogMs: 3_000 })
    await first.release()
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
    for (const name of names) expect(await inLine(place, name)).toEqual([])
  })
})

describe('names and failures', () => {
  test('testNameMapper: the line is kept under the mapped name, which is the one with the keyPrefix', async () => {
    const server = await PrivateServer.bring()
    onTestFinished(() => server.stop())
    const { host, port } = server.server
    const client = (): RedisClient => standaloneClient({ host, port, keyPrefix: 'mapped:' })
    const [one, two] = [new Holdfast(client()), new Holdfast(client())]
    const hold = await one.fairLock('name').acquire()
    const wait = two.fairLock('name').acquire()
    await place.eventually(async () => String(await server.ask('KEYS', '*')).includes('line'))
    const keys = await server.ask('KEYS', '*')
    expect(new Set(Array.isArray(keys) ? keys : [])).toEqual(
      new Set(['mapped:name', 'holdfast_line:{mapped:name}', 'holdfast_processes:{mapped:name}']),
    )
    await hold.release()
    await (await wait).release()
    expect(await server.ask('KEYS', '*')).toEqual([])
    await Promise.all([one.close(), two.close()])
  })

  test('testAcquireFailedNotCalledOnRedisTimeout, redisson#5019: a server that pauses: false, no exception, and no place is left', async () => {
    const server = await PrivateServer.bring()
    onTestFinished(() => server.stop())
    const holding = server.holdfast()
    const hold = await holding.fairLock('paused').acquire()
    const waiting = server.holdfast({ commandTimeoutMs: lasting(400) })
    // With the connection made, there is time to be seen in line.
    await waiting.fairLock('paused').isLocked()
    const attempt = waiting.fairLock('paused').tryAcquire({ waitMs: lasting(900) })
    const line = (): Promise<unknown> => server.ask('ZCARD', 'holdfast_line:{paused}')
    await place.eventually(line, (count) => count === 1)
    await server.ask('CLIENT', 'PAUSE', 1_500)
    expect(await attempt).toBeNull()
    await place.eventually(line, (count) => count === 0)
    await hold.release()
    await server.tidy()
  })
})
