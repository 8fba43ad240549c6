import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import type { RedisClient } from '../../src/index.js'
import { clientLibraries, clusterClient, sentinelClient, standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { blockFor, blockUntil } from './busy.js'
import { Observer } from './observer.js'
import { BLOCKED_MS, Stand } from './stand.js'

const places: Array<[string, () => RedisClient]> = [
  ...clientLibraries.map((library): [string, () => RedisClient] => [
    `one server, ${library}`,
    () => standaloneClient(inject('servers').standalone, library),
  ]),
  ...(['ioredis-6', 'ioredis-5'] as const).map((library): [string, () => RedisClient] => [
    `a cluster, ${library}`,
    () => clusterClient(inject('servers').cluster.startupNodes, {}, library),
  ]),
  ['a sentinel group', () => sentinelClient(inject('servers').sentinel)],
]

test('another process sees the lock held all the while', async () => {
  const { host, port } = inject('servers').standalone
  const stand = new Stand(standaloneClient({ host, port }))
  const observer = new Observer(host, port, stand.name)
  try {
    await stand.start()
    await stand.hold()
    await Promise.all([stand.hears('renewed'), observer.looking()])
    blockFor(BLOCKED_MS)
    const { looks, leastMs } = await observer.stop()
    expect(looks).toBeGreaterThan(1)
    expect(leastMs).toBeGreaterThan(0)
  } finally {
    observer.kill()
    await stand.end()
  }
})

describe.each(places)('a main thread that is blocked (%s)', (_, client) => {
  let stand: Stand
  beforeEach(async () => {
    stand = new Stand(client())
    await stand.start()
  })
  afterEach(() => stand.end())

  test('for longer than the lease keeps its lock, and knows without a message', async () => {
    const lease = await stand.hold()
    await stand.hears('renewed')
    stand.heard.length = 0
    blockFor(BLOCKED_MS)
    expect(lease.deadline).toBeGreaterThan(stand.now)
    expect(stand.heard).toEqual([])
    const deadline = lease.deadline
    const { owners, remainingMs } = await stand.port.inspect(stand.name)
    expect(owners).toMatchObject([{ owner: lease.owner, holds: 1 }])
    // The holder thinks it over before the store does (rule L3).
    expect(stand.now + remainingMs).toBeGreaterThan(deadline)
    await eventually(() => stand.heard.includes('renewed'))
    expect(stand.causes).toEqual([])
  })

  test('knows of a loss at its first look', async () => {
    const lease = await stand.hold()
    await stand.hears('renewed')
    stand.heard.length = 0
    await stand.port.forceUnlock(stand.name)
    blockUntil(() => lease.deadline === Number.NEGATIVE_INFINITY)
    expect(stand.heard).toEqual([])
    await eventually(() => stand.heard.includes('lost'))
    expect(stand.heard).toEqual(['lost'])
  })
})
