/** While a slot is on its way, its keys are at one node and those who listen at the other: they hear all the same (rule W7). */
import { Redis } from 'ioredis5'
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { bringCluster, type Cluster } from '../servers/index.js'
import { clientLibraries, clusterClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { SlotMove } from './slot-move.js'

/** Who waits for the end of this was not woken. */
const LEASE_MS = 25_000
const WOKEN_WITHIN_MS = 10_000
/** So long a place that nobody waits on would keep the lock. */
const GRANT_UNHEARD_MS = 4_500

interface Scene {
  /** Starts the wait, in another process in effect; resolves when it is over. */
  readonly wait: () => Promise<unknown>
  readonly waiting: () => Promise<number | undefined>
  readonly act: () => Promise<unknown>
}

type Setting = (near: Holdfast, far: Holdfast, name: string) => Promise<Scene>

const settings: Readonly<Record<string, Setting>> = {
  'a lock is released': async (near, far, name) => {
    const hold = await near.lock(name).acquire({ leaseMs: LEASE_MS })
    return {
      wait: async () => await (await far.lock(name).acquire()).release(),
      waiting: () => near.lock(name).countWaitingClients(),
      act: () => hold.release(),
    }
  },
  'a lock is forced open': async (near, far, name) => {
    await near.lock(name).acquire({ leaseMs: LEASE_MS })
    return {
      wait: async () => await (await far.lock(name).acquire()).release(),
      waiting: () => near.lock(name).countWaitingClients(),
      act: () => near.lock(name).forceUnlock(),
    }
  },
  'the locks of a multi-lock are released': async (near, far, name) => {
    const both = (made: Holdfast) => made.multiLock([made.lock(name), made.lock(`${name}:second`)])
    const hold = await both(near).acquire({ leaseMs: LEASE_MS })
    return {
      wait: async () => await (await both(far).acquire()).release(),
      waiting: () => near.lock(name).countWaitingClients(),
      act: () => hold.release(),
    }
  },
  'a lock is handed over to a lease that ends sooner': async (near, far, name) => {
    const hold = await near.lock(name).acquire({ leaseMs: LEASE_MS })
    // In line in the same process: it gets the lock from the release, in one command.
    const next = near.lock(name).acquire({ leaseMs: 1_500 })
    return {
      wait: async () => await (await far.lock(name).acquire()).release(),
      waiting: () => near.lock(name).countWaitingClients(),
      act: async () => {
        await hold.release()
        await next
      },
    }
  },
}

describe.each(clientLibraries)('H12: the keys of a slot have moved, the slot has not (%s)', (library) => {
  let cluster: Cluster
  let nodes: Redis[]
  beforeEach(async () => {
    cluster = await bringCluster({ flavour: inject('servers').flavour })
    nodes = cluster.nodes.map(({ host, port }) => new Redis({ host, port }))
  }, 60_000)
  afterEach(async () => {
    for (const node of nodes) node.disconnect()
    await cluster.stop()
  })

  function holdfast(): Holdfast {
    const client = clusterClient(cluster.startupNodes, {}, library)
    const made = new Holdfast(client, { storeTimeoutMs: LEASE_MS })
    onTestFinished(async () => {
      await made.close()
      client.disconnect()
    })
    return made
  }

  test('the plain lock is taken, waited for and given back meanwhile; its line goes on when the slot has arrived', async () => {
    const name = '{moving}'
    const [near, far] = [holdfast(), holdfast()]
    const untilWaiting = () =>
      eventually(
        () => near.lock(name).countWaitingClients(),
        (count) => count === 1,
      )
    const first = await near.lock(name).acquire()
    // It has a place in line, which nobody can reach for a while, and which stays there when it has had the lock.
    const waiting = far.lock(name).acquire()
    await untilWaiting()
    const move = await SlotMove.of(name, nodes)
    await move.take([name])
    await first.release()
    await (await waiting).release()
    for (const made of [near, far, near]) await made.lock(name).withLock(() => undefined)
    const second = await near.lock(name).acquire()
    const waitsInNoLine = far.lock(name).acquire()
    await Promise.race([waitsInNoLine, new Promise((resolve) => setTimeout(resolve, 700))])
    await second.release()
    await (await waitsInNoLine).release()
    await move.finish()
    const third = await near.lock(name).acquire()
    const waitsAgain = far.lock(name).acquire()
    await untilWaiting()
    const releasedAt = performance.now()
    await third.release()
    await (await waitsAgain).release()
    expect(performance.now() - releasedAt).toBeLessThan(GRANT_UNHEARD_MS)
  }, 90_000)

  test.each(Object.keys(settings))(
    '%s: whoever waits is woken',
    async (what) => {
      const name = '{moving}'
      const scene = await settings[what]?.(holdfast(), holdfast(), name)
      const waiting = scene?.wait()
      await eventually(
        async () => await scene?.waiting(),
        (count) => Number(count) > 0,
      )
      const move = await SlotMove.of(name, nodes)
      await move.take(await move.keys())
      const actedAt = performance.now()
      await scene?.act()
      await waiting
      expect(performance.now() - actedAt).toBeLessThan(WOKEN_WITHIN_MS)
    },
    90_000,
  )
})
