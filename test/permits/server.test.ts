/** What permits and latches leave in Redis, and how they live with what others do there. */
import { afterEach, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type Hold, StoreError } from '../../src/index.js'
import { eventsOf } from '../fault/heard.js'
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

async function keys(): Promise<string[]> {
  const found = [await server.ask('KEYS', '*')].flat().map(String)
  return found.filter((key) => !key.includes('request')).sort()
}

test('a semaphore that is not in use is one number, as Redisson keeps it', async () => {
  const holdfast = server.holdfast()
  for (const semaphore of [holdfast.semaphore('s'), holdfast.permitExpirableSemaphore('p')]) {
    await semaphore.trySetPermits(3)
    await (await semaphore.acquire({ permits: 2 })).release()
  }
  expect(await keys()).toEqual(['p', 's'])
  expect(await server.ask('GET', 's')).toBe('3')
  for (const key of [await server.ask('KEYS', 'holdfast_request:*')].flat().map(String))
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
  const semaphore = server.holdfast({ watchdogMs: lasting(2_400) }).permitExpirableSemaphore('s')
  await semaphore.trySetPermits(3)
  const [hold, other] = [await semaphore.acquire({ permits: 2 }), await semaphore.acquire()]
  await server.ask('DEL', 's')
  await expect.poll(() => hold.signal.aborted && other.signal.aborted).toBe(true)
  expect(hold.signal.reason).toMatchObject({ reason: 'not-in-store' })
  await server.holdfast().permitExpirableSemaphore('s').trySetPermits(3)
  expect(await semaphore.acquiredPermits()).toBe(0)
  expect(await semaphore.permits()).toBe(3)
  await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' })
  expect(await semaphore.availablePermits()).toBe(3)
})

test('H23: permits of a number that was deleted come back by no release and no end of a lease', async () => {
  const semaphore = server.holdfast().permitExpirableSemaphore('s')
  const far = server.holdfast().permitExpirableSemaphore('s')
  await semaphore.trySetPermits(3)
  const holds = [await semaphore.acquire(), await semaphore.acquire({ leaseMs: 60_000 })]
  await semaphore.acquire({ leaseMs: 50 })
  await server.ask('DEL', 's')
  for (const hold of holds) await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' })
  expect(await far.tryAcquire()).toBeNull()
  expect(await server.ask('EXISTS', 's')).toBe(0)
  // Were any of them left, the new number would be refused, or grow beyond itself.
  expect(await far.trySetPermits(3)).toBe(true)
  await (await semaphore.acquire({ permits: 3, waitMs: 5_000 })).release()
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

test('a full server refuses to grant, and changes nothing; renewals and releases go on', async () => {
  const holdfast = server.holdfast({ watchdogMs: lasting(2_400) })
  const heard = eventsOf(holdfast, ['renewed', 'lost'])
  const semaphores = [holdfast.semaphore('s'), holdfast.permitExpirableSemaphore('p')]
  const holds: Hold[] = []
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
  const before = heard.length
  await expect.poll(() => heard.length).toBeGreaterThan(before + 4)
  for (const hold of holds) await hold.release()
  expect(heard).not.toContain('lost')
  expect(await keys()).toEqual(['p', 's'])
  for (const semaphore of semaphores) expect(await semaphore.availablePermits()).toBe(3)
})
