/** What permits and latches leave in Redis, and how they live with what others do there. */
import { afterEach, describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { StoreError } from '../../src/index.js'
import { PrivateServer } from '../redisson/private-server.js'
import { duringAll } from '../setup/during.js'
import { lasting } from '../setup/lasting.js'

/** The members of a sorted set, byte by byte. */
const HEX_IDS = `
  local ids = redis.call('ZRANGE', KEYS[1], 0, -1)
  for index, id in ipairs(ids) do
    ids[index] = string.gsub(id, '.', function(byte) return string.format('%02x', string.byte(byte)) end)
  end
  return ids`

const server = duringAll(() => PrivateServer.bring())
afterEach(async () => {
  await server.tidy()
  await server.ask('CONFIG', 'SET', 'maxmemory', '0')
  await server.ask('FLUSHALL')
})

async function keys(): Promise<unknown> {
  const found = await server.ask('KEYS', '*')
  return Array.isArray(found)
    ? found
        .map(String)
        .filter((key) => !key.includes('request'))
        .sort()
    : found
}

test('a semaphore that is not in use is one number, as Redisson keeps it', async () => {
  const holdfast = server.holdfast()
  for (const semaphore of [holdfast.semaphore('s'), holdfast.permitExpirableSemaphore('p')]) {
    await semaphore.trySetPermits(3)
    await (await semaphore.acquire({ permits: 2 })).release()
  }
  expect(await keys()).toEqual(['p', 's'])
  expect(await server.ask('GET', 's')).toBe('3')
  const requests = await server.ask('KEYS', 'holdfast_request:*')
  for (const key of Array.isArray(requests) ? requests.map(String) : [])
    expect(await server.ask('PTTL', key)).toBeGreaterThan(0)
})

test('who holds permits is kept in a hash that is no lock', async () => {
  const holdfast = server.holdfast()
  await holdfast.semaphore('s').trySetPermits(3)
  await using _permits = await holdfast.semaphore('s').acquire({ permits: 2 })
  await using _hold = await holdfast.lock('l').acquire()
  const listed: string[] = []
  for await (const { name } of holdfast.list()) listed.push(name)
  expect(listed).toEqual(['l'])
})

test('permits with ids are kept as Redisson keeps them: 16 bytes each, and when they end', async () => {
  const semaphore = server.holdfast().permitExpirableSemaphore('p')
  await semaphore.trySetPermits(3)
  const { permitIds } = await semaphore.acquire({ permits: 2, leaseMs: 60_000 })
  expect(await keys()).toEqual(['p', '{p}:timeout'])
  expect(await server.ask('EVAL', HEX_IDS, 1, '{p}:timeout')).toEqual(permitIds)
  await semaphore.updateLeaseTime(String(permitIds[0]), Number.POSITIVE_INFINITY)
  const never = '922337203685477'
  expect(await server.ask('ZCOUNT', '{p}:timeout', never, never)).toBe(1)
})

test('permits that Redisson takes and gives count, without being known to anybody', async () => {
  const semaphore = server.holdfast().semaphore('s')
  await semaphore.trySetPermits(3)
  await server.ask('DECRBY', 's', 3)
  expect(await semaphore.tryAcquire()).toBeNull()
  const waiting = semaphore.acquire({ permits: 2 })
  await expect.poll(() => semaphore.countWaitingClients()).toBe(1)
  await server.ask('INCRBY', 's', 2)
  await server.ask('PUBLISH', 'redisson_sc:{s}', '2')
  await (await waiting).release()
  expect(await semaphore.availablePermits()).toBe(2)
})

test('a semaphore that was deleted takes its holds with it: a new one gets nothing back from them', async () => {
  const semaphore = server.holdfast({ watchdogMs: 150 }).semaphore('s')
  await semaphore.trySetPermits(3)
  const hold = await semaphore.acquire({ permits: 2 })
  await server.ask('DEL', 's')
  await semaphore.trySetPermits(5)
  await expect.poll(() => hold.signal.aborted).toBe(true)
  expect(await semaphore.availablePermits()).toBe(5)
  expect(await keys()).toEqual(['s'])
})

test('H23: a permit-expirable semaphore that was deleted takes its holds with it: no permit is out beside those of a new one', async () => {
  const [near, far] = [server.holdfast({ watchdogMs: lasting(900) }), server.holdfast()]
  const semaphore = near.permitExpirableSemaphore('s')
  await semaphore.trySetPermits(3)
  const [hold, other] = [await semaphore.acquire({ permits: 2 }), await semaphore.acquire()]
  await server.ask('DEL', 's')
  await expect.poll(() => hold.signal.aborted && other.signal.aborted).toBe(true)
  expect(hold.signal.reason).toMatchObject({ reason: 'not-in-store' })
  await far.permitExpirableSemaphore('s').trySetPermits(3)
  expect(await semaphore.acquiredPermits()).toBe(0)
  expect(await semaphore.permits()).toBe(3)
  await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' })
  expect(await semaphore.availablePermits()).toBe(3)
})

test('H23: permits of a number that was deleted come back by no release and no end of a lease', async () => {
  const [near, far] = [server.holdfast(), server.holdfast()]
  const semaphore = near.permitExpirableSemaphore('s')
  await semaphore.trySetPermits(3)
  const holds = [await semaphore.acquire(), await semaphore.acquire({ leaseMs: 60_000 })]
  await semaphore.acquire({ leaseMs: 50 })
  await server.ask('DEL', 's')
  for (const hold of holds) await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' })
  expect(await far.permitExpirableSemaphore('s').tryAcquire()).toBeNull()
  expect(await server.ask('EXISTS', 's')).toBe(0)
  // Were any of them left, the new number would be refused, or grow beyond itself.
  expect(await far.permitExpirableSemaphore('s').trySetPermits(3)).toBe(true)
  const all = await semaphore.acquire({ permits: 3, waitMs: 5_000 })
  await all.release()
  expect(await semaphore.availablePermits()).toBe(3)
})

test('H23: permits of a number that was deleted are no part of the next, which was set before anybody noticed', async () => {
  const semaphore = server.holdfast().permitExpirableSemaphore('s')
  await semaphore.trySetPermits(3)
  const hold = await semaphore.acquire({ permits: 2 })
  await server.ask('DEL', 's')
  expect(await semaphore.trySetPermits(3)).toBe(true)
  const all = await semaphore.acquire({ permits: 3, waitMs: 5_000 })
  await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' })
  expect(await semaphore.availablePermits()).toBe(0)
  await all.release()
  expect(await semaphore.availablePermits()).toBe(3)
})

test('`x` and `{x}` are two semaphores', async () => {
  const holdfast = server.holdfast()
  const [plain, tagged] = [holdfast.semaphore('x'), holdfast.semaphore('{x}')]
  await plain.trySetPermits(3)
  await tagged.trySetPermits(3)
  const hold = await plain.acquire({ permits: 2 })
  expect((await tagged.inspect()).owners).toEqual([])
  expect(await tagged.availablePermits()).toBe(3)
  await hold.release()
  expect(await plain.availablePermits()).toBe(3)
})

test('X2: scripts are sent again where the server has forgotten them', async () => {
  const semaphore = server.holdfast().semaphore('s')
  await semaphore.trySetPermits(2)
  const hold = await semaphore.acquire()
  await server.ask('SCRIPT', 'FLUSH')
  await hold.release()
  await server.ask('SCRIPT', 'FLUSH')
  expect(await semaphore.availablePermits()).toBe(2)
})

describe('a full server', () => {
  test('refuses to grant, and changes nothing; renewals and releases go on', async () => {
    const holdfast = server.holdfast({ watchdogMs: lasting(1_500) })
    const lost: unknown[] = []
    let renewals = 0
    holdfast.on('lost', (event) => lost.push(event))
    holdfast.on('renewed', () => {
      renewals += 1
    })
    const semaphores = [holdfast.semaphore('s'), holdfast.permitExpirableSemaphore('p')]
    const holds = []
    for (const semaphore of semaphores) {
      await semaphore.trySetPermits(3)
      holds.push(await semaphore.acquire())
    }
    await server.ask('CONFIG', 'SET', 'maxmemory', '1')
    for (const semaphore of semaphores) {
      const refused = await rejectionOf(semaphore.tryAcquire())
      expect(refused).toBeInstanceOf(StoreError)
      expect(refused).toMatchObject({ reason: 'out-of-memory' })
      expect(await semaphore.availablePermits()).toBe(2)
    }
    const before = renewals
    await expect.poll(() => renewals).toBeGreaterThan(before + 4)
    for (const hold of holds) await hold.release()
    expect(lost).toEqual([])
    expect(await keys()).toEqual(['p', 's'])
    for (const semaphore of semaphores) expect(await semaphore.availablePermits()).toBe(3)
  })
})

test('faults B1: a release grants what it gives back to the call whose turn it is, and wakes nobody else', async () => {
  const [near, far] = [server.holdfast(), server.holdfast()]
  const semaphore = near.semaphore('s')
  await semaphore.trySetPermits(2)
  const holds = await Promise.all([semaphore.acquire(), semaphore.acquire()])
  const waiting = Array.from({ length: 10 }, () => far.semaphore('s').acquire())
  await expect.poll(() => semaphore.countWaitingClients()).toBe(1)
  await expect.poll(() => far.census.calls).toBe(10)
  const before = await server.calls('evalsha')
  await holds[0]?.release()
  await waiting[0]
  // One release, which grants to the waiter whose turn it is; neither that one nor the other nine send anything.
  expect((await server.calls('evalsha')) - before).toBe(1)
  await holds[1]?.release()
  for (const each of waiting) await (await each).release()
  expect(await semaphore.availablePermits()).toBe(2)
  expect(await keys()).toEqual(['s'])
})
