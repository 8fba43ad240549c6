import { afterEach, describe, expect, inject, test } from 'vitest'
import { clientIdOf, Scene } from '../fault/scene.js'
import { withAdmin } from '../servers/admin.js'
import { bringServer, type Server } from '../servers/index.js'
import { untilFollows } from '../servers/replication.js'
import { eventually } from '../setup/eventually.js'

/** Who waits for the end of this was not woken. */
const LEASE_MS = 60_000
const WOKEN_WITHIN_MS = 10_000
const WITHOUT_HELLO = ['--rename-command', 'HELLO', '']

const servers: Server[] = []
let scene: Scene
afterEach(async () => {
  await scene.end()
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

async function bring(args: string[]): Promise<Server> {
  const server = await bringServer({ flavour: inject('servers').flavour, args })
  servers.push(server)
  return server
}

describe('H6: RESP3 is what the server agrees to, not what the client was told', () => {
  test('a server without HELLO: who waits leaves the connection for commands alone', async () => {
    scene = await Scene.standalone('ioredis-6', await bring(WITHOUT_HELLO))
    const holder = scene.holdfast()
    const hold = await holder.lock(scene.name).acquire({ leaseMs: LEASE_MS })
    const waiter = scene.holdfast()
    const waiting = waiter.lock(scene.name).acquire()
    await eventually(async () => (await holder.lock(scene.name).countWaitingClients()) === 1)
    expect(await scene.processChannels(waiter)).toHaveLength(1)
    const other = await waiter.lock(`${scene.name}:other`).tryAcquire()
    expect(other).not.toBeNull()
    await other?.release()
    // One to hold, two to wait.
    expect(scene.proxy.open).toHaveLength(3)
    const passed = scene.proxy.tally()
    await hold.release()
    const next = await waiting
    // It was told: it has not looked.
    expect(passed.labels).not.toContain('acquire')
    await next.release()
    await scene.nothingLeft()
  })

  test.each([
    { from: 'with HELLO', to: 'without it', first: [], second: WITHOUT_HELLO },
    { from: 'without HELLO', to: 'with it', first: WITHOUT_HELLO, second: [] },
  ])('after a server $from comes one $to: who waits is woken', async ({ first, second }) => {
    const primary = await bring(first)
    const replica = await bring([...second, '--replicaof', primary.host, String(primary.port)])
    scene = await Scene.standalone('ioredis-6', primary)
    const hold = await scene.holdfast().lock(scene.name).acquire({ leaseMs: LEASE_MS })
    const waiter = scene.holdfast()
    const waiting = waiter.lock(scene.name).acquire()
    await eventually(async () => (await waiter.lock(scene.name).countWaitingClients()) === 1)
    await untilFollows(replica, primary)
    await withAdmin(replica, (command) => command('REPLICAOF', 'NO', 'ONE'))
    scene.proxy.redirect(replica)
    scene.proxy.breakAll()
    await withAdmin(replica, (command) =>
      eventually(async () => {
        const channels = await command('PUBSUB', 'CHANNELS', `holdfast:${clientIdOf(waiter)}`)
        return Array.isArray(channels) && channels.length === 1
      }),
    )
    const other = await waiter.lock(`${scene.name}:other`).acquire({ waitMs: WOKEN_WITHIN_MS })
    await other.release()
    const releasedAt = performance.now()
    await hold.release()
    await (await waiting).release()
    expect(performance.now() - releasedAt).toBeLessThan(WOKEN_WITHIN_MS)
  })
})
