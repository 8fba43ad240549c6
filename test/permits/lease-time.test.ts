/** Whoever waits for the end of a permit's lease, when that lease is changed by another process. */
import { describe, expect, test } from 'vitest'
import { Scene } from '../fault/scene.js'
import { duringEach } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import { span } from '../setup/span.js'

const LONG_MS = 120_000
/** The end that a waiter sees first. */
const SHORT_MS = 2_500

describe.each([
  ['RESP3', {}, () => Scene.standalone('ioredis-6')],
  ['RESP2', { protocol: 2 }, () => Scene.standalone('ioredis-6')],
  ['ioredis 5', {}, () => Scene.standalone('ioredis-5')],
  ['cluster, RESP3', {}, () => Scene.cluster('ioredis-6')],
  ['cluster, RESP2', { redisOptions: { protocol: 2 } }, () => Scene.cluster('ioredis-6')],
  ['cluster, ioredis 5', {}, () => Scene.cluster('ioredis-5')],
] as const)('H18: the lease of a permit is changed (%s)', (_where, client, open) => {
  const scene = duringEach(() => open())

  test('longer, again and again: the waiter looks once when the end it saw has come, and sleeps on', async () => {
    const near = scene.holdfast({}, { proxied: false }).permitExpirableSemaphore(scene.name)
    await near.trySetPermits(1)
    const [id = ''] = (await near.acquire({ leaseMs: SHORT_MS })).permitIds
    // Only the commands of the process that waits pass the proxies.
    const waiting = scene.holdfast({}, { client }).permitExpirableSemaphore(scene.name).acquire()
    await eventually(async () => (await near.countWaitingClients()) === 1)
    const looks = (): number =>
      scene.proxies.flatMap(({ commands }) => commands).filter(({ name }) => /^EVAL|^FCALL/.test(name)).length
    const before = looks()
    for (let round = 0; round < 20; round += 1)
      expect(await near.updateLeaseTime(id, LONG_MS + round)).toBe(true)
    await eventually(() => looks() > before)
    // It has every occasion to look again.
    await span(SHORT_MS)
    expect(looks() - before).toBeLessThanOrEqual(4)
    await near.release(id)
    await (await waiting).release()
    await scene.direct.del(scene.name)
  })
})
