/** What others' locks did in a cluster. */
import { afterEach, expect, test } from 'vitest'
import type { RedisClient } from '../../src/index.js'
import { isCluster } from '../../src/stores/redis/connection/client.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { placeOf } from '../setup/places.js'

const place = placeOf('cluster')

afterEach(() => place.tidy())

/** What every master answers. */
async function askAll(client: RedisClient, command: string, ...args: string[]): Promise<unknown[]> {
  if (!isCluster(client)) throw new Error('not a cluster')
  await client.call('PING')
  return await Promise.all(client.nodes('master').map((node) => node.call(command, ...args)))
}

test('redisson#6867, #7116: locks of many slots are renewed together, without CROSSSLOT', async () => {
  const holdfast = place.holdfast({ watchdogMs: 9_000 })
  const told: unknown[] = []
  const renewals = new Map<string, number>()
  for (const event of ['lost', 'suspended', 'error'] as const) holdfast.on(event, (it) => told.push(it))
  holdfast.on('renewed', ({ name }) => renewals.set(name, (renewals.get(name) ?? 0) + 1))
  const names = Array.from({ length: 60 }, () => place.lockName())
  expect(new Set(names.map((name) => slotOf(name))).size).toBeGreaterThan(50)
  const holds = await Promise.all(names.map((name) => holdfast.lock(name).acquire()))
  await place.eventually(() => told.length > 0 || names.every((name) => (renewals.get(name) ?? 0) >= 2))
  expect(told).toEqual([])
  for (const hold of holds) hold.assertHeld()
  await Promise.all(holds.map((hold) => hold.release()))
  expect(told).toEqual([])
})

test('node-redlock#64, redis-semaphore#15, #186, #208: names with and without hash tags wake their waiters', async () => {
  const holding = place.holdfast()
  const waiting = place.holdfast()
  const base = place.lockName()
  const tagged = [`{${base}}`, `{${base}}:suffix`, `prefix:{${base}}`]
  for (const name of [base, ...tagged, `${base}:{}`, `${base}:{a}{b}`, `${base}:{`]) {
    // Far longer than the test: only an announcement can end the wait.
    const hold = await holding.lock(name).acquire({ leaseMs: 600_000 })
    const wait = waiting.lock(name).withLock({ leaseMs: 600_000 }, () => 'in')
    await place.eventually(() => holding.lock(name).countWaitingClients())
    await hold.release()
    expect(await wait).toBe('in')
  }
})

test('ioredis, redisson#3349: announcements are sharded: Redisson in a cluster hears them, other nodes are spared', async () => {
  const client = place.client()
  const name = place.lockName()
  const channel = `redisson_lock__channel:{${name}}`
  const hold = await place.holdfast().lock(name).acquire()
  const wait = place.holdfast().lock(name).acquire()
  const known = async (kind: string) => (await askAll(client, 'PUBSUB', kind, channel)).flat()
  await place.eventually(async () => (await known('SHARDCHANNELS')).length > 0)
  expect(await known('SHARDCHANNELS')).toEqual([channel])
  expect(await known('CHANNELS')).toEqual([])
  await hold.release()
  await (await wait).release()
})
