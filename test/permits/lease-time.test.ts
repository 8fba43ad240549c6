/** Whoever waits for the end of a permit's lease, when that lease is changed by another process. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Scene } from '../fault/scene.js'
import { eventually } from '../setup/eventually.js'
import { span } from '../setup/span.js'

/** Who waits until then was not woken. */
const LONG_MS = 120_000
const WOKEN_WITHIN_MS = 10_000
/** The end that a waiter sees first. */
const SHORT_MS = 1_500

describe.each([
  { where: 'RESP3', client: {}, open: () => Scene.standalone('ioredis-6') },
  { where: 'RESP2', client: { protocol: 2 }, open: () => Scene.standalone('ioredis-6') },
  { where: 'ioredis 5', client: {}, open: () => Scene.standalone('ioredis-5') },
  { where: 'cluster, RESP3', client: {}, open: () => Scene.cluster('ioredis-6') },
  {
    where: 'cluster, RESP2',
    client: { redisOptions: { protocol: 2 } },
    open: () => Scene.cluster('ioredis-6'),
  },
  { where: 'cluster, ioredis 5', client: {}, open: () => Scene.cluster('ioredis-5') },
])('H18: the lease of a permit is changed ($where)', ({ client, open }) => {
  let scene: Scene
  beforeEach(async () => {
    scene = await open()
  })
  afterEach(async () => {
    await scene.direct.del(scene.name)
    await scene.end()
  })

  /** One permit that is out, and another process that waits for it: only that one's commands pass the proxies. */
  async function waitFor(leaseMs: number) {
    const near = scene.holdfast({}, { proxied: false }).permitExpirableSemaphore(scene.name)
    await near.trySetPermits(1)
    const { permitIds } = await near.acquire({ leaseMs })
    const far = scene.holdfast({}, { client })
    const waiting = far.permitExpirableSemaphore(scene.name).acquire()
    await eventually(async () => (await near.countWaitingClients()) === 1)
    const looks = (): number =>
      scene.proxies.flatMap(({ commands }) => commands).filter(({ name }) => /^EVAL|^FCALL/.test(name)).length
    return { near, id: String(permitIds[0]), waiting, looks }
  }

  test('shorter: the waiter is woken, and takes it when that end has come', async () => {
    const { near, id, waiting } = await waitFor(LONG_MS)
    expect(await near.updateLeaseTime(id, SHORT_MS)).toBe(true)
    const from = performance.now()
    const hold = await waiting
    expect(performance.now() - from).toBeLessThan(WOKEN_WITHIN_MS)
    await hold.release()
  })

  test('longer, again and again: the waiter looks once when the end it saw has come, and sleeps on', async () => {
    const { near, id, waiting, looks } = await waitFor(SHORT_MS)
    const before = looks()
    for (let round = 0; round < 20; round += 1)
      expect(await near.updateLeaseTime(id, LONG_MS + round)).toBe(true)
    await eventually(() => looks() > before)
    // It has every occasion to look again.
    await span(SHORT_MS)
    expect(looks() - before).toBeLessThanOrEqual(4)
    await near.release(id)
    await (await waiting).release()
  })
})
