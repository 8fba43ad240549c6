import { afterEach, describe, expect, test } from 'vitest'
import { Scene } from '../fault/scene.js'
import { eventually } from '../setup/eventually.js'
import { span } from '../setup/span.js'

const WAITERS = 200
const WATCHED_MS = 2_000
/** With pauses of up to half a second; one more at once for each connection that broke. */
const MOST_PER_SECOND = 12

let scene: Scene
afterEach(() => scene.end())

describe.each([
  { where: 'standalone, RESP3', open: () => Scene.standalone('ioredis-6') },
  { where: 'standalone, RESP2', open: () => Scene.standalone('ioredis-5') },
  { where: 'cluster', open: () => Scene.cluster('ioredis-6') },
])('H10: a server that refuses connections ($where)', ({ open }) => {
  test(`is asked for one at growing intervals, whoever waits for ${WAITERS} locks`, async () => {
    scene = await open()
    const holder = scene.holdfast({}, { proxied: false })
    const names = Array.from({ length: WAITERS }, (_, index) => `${scene.name}:${index}`)
    const holds = await Promise.all(names.map((name) => holder.lock(name).acquire()))
    const waiter = scene.holdfast({ storeTimeoutMs: 60_000, warnAfterMs: 60_000 })
    const waits = names.map((name) => waiter.lock(name).acquire())
    await eventually(async () => (await scene.releaseChannels()).length === WAITERS)
    const subscribed = async (): Promise<string> =>
      [...(await scene.channels()), ...(await scene.processChannels(waiter))].sort().join()
    const before = await subscribed()
    const refused = (): number => scene.proxies.reduce((sum, proxy) => sum + proxy.refused, 0)
    for (const proxy of scene.proxies) {
      proxy.refuse()
      proxy.breakAll()
    }
    await eventually(() => refused() > 0)
    await span(WATCHED_MS)
    expect(refused()).toBeLessThan(scene.proxies.length * MOST_PER_SECOND * (WATCHED_MS / 1_000))
    for (const proxy of scene.proxies) proxy.heal()
    await eventually(subscribed, (channels) => channels === before)
    await Promise.all(holds.map((hold) => hold.release()))
    for (const wait of waits) await (await wait).release()
    await scene.nothingLeft()
  })
})
