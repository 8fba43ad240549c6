import slotOf from 'cluster-key-slot'
import { Holdfast } from '../../../src/index.js'
import { ask, withAdmin } from '../../servers/admin.js'
import type { Server } from '../../servers/index.js'
import { Handles } from '../program/handles.js'
import { locksOf, type Resource, UNOWNED } from '../program/resource.js'
import { storeAt } from '../route.js'
import { topologyNames } from '../topologies/topology.js'
import { nemesis, type Scene, SHORT_LEASE } from './nemesis.js'

export const forceUnlock = nemesis('force-unlock', topologyNames, SHORT_LEASE, async (scene) => {
  const { random, topology, resources, fault } = scene
  const locks = resources.filter(({ kind }) => !UNOWNED.includes(kind))
  if (locks.length === 0) return
  const resource = random.pick(locks)
  const name = random.pick(locksOf(resource))
  const { store, disconnect } = storeAt(topology.direct)
  const holdfast = new Holdfast(store)
  try {
    const lock =
      resource.kind === 'read-write'
        ? holdfast.readWriteLock(name).writeLock()
        : new Handles(holdfast, resources).lock(name)
    await fault(`forceUnlock of ${name}`, () => lock.forceUnlock(), { loses: { name } })
  } finally {
    await holdfast.close()
    disconnect()
  }
})

const SIMPLE = ['standalone-2', 'standalone-3', 'cluster'] as const
const LOSES = { losesData: true, ...SHORT_LEASE }

export const deleteKey = nemesis('delete-key', SIMPLE, LOSES, async (scene) => {
  const { random, topology, resources, fault } = scene
  // A latch that is deleted behind its back is open, but nobody says so, and no lease ends.
  const keys = resources.filter((each) => each.kind !== 'latch')
  if (keys.length === 0) return
  const resource = random.pick(keys)
  const name = random.pick(locksOf(resource))
  const del = async (): Promise<void> => {
    // Only the node that has the slot does it.
    for (const server of topology.servers)
      await ask(server, 'DEL', keyOf(resource.kind, name)).catch(() => undefined)
  }
  await fault(`DEL of ${name}`, del, { loses: { name } })
})

function keyOf(kind: Resource['kind'], name: string): string {
  if (kind === 'read-write') return `holdfast_rw:{${name}}`
  return kind === 'compute-once' ? `once:${name}` : name
}

export const moveSlot = nemesis('move-slot', ['cluster'], {}, async (scene) => {
  const { name } = scene.random.pick(scene.resources)
  const slot = slotOf(name)
  await scene.fault(`slot ${slot} of ${name} moves`, () => move(scene, slot), { cutsOff: true })
  await scene.pause(500, 1_500)
})

async function move({ topology, random, pause }: Scene, slot: number): Promise<void> {
  const masters: Array<{ server: Server; id: string; has: boolean }> = []
  for (const server of topology.servers) {
    const text = String(await ask(server, 'CLUSTER', 'NODES'))
    const own = text.split('\n').find((line) => line.includes('myself'))
    const [id = '', , flags = '', , , , , , ...slots] = own?.split(' ') ?? []
    if (flags.includes('master'))
      masters.push({ server, id, has: slots.some((range) => includes(range, slot)) })
  }
  const from = masters.find(({ has }) => has)
  const others = masters.filter(({ has }) => !has)
  if (!from || others.length === 0) return
  const to = random.pick(others)
  await ask(to.server, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', from.id)
  await withAdmin(from.server, async (command) => {
    await command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', to.id)
    await pause(0, 300)
    for (;;) {
      const keys = await command('CLUSTER', 'GETKEYSINSLOT', slot, 100)
      if (!Array.isArray(keys) || keys.length === 0) break
      await command('MIGRATE', to.server.host, to.server.port, '', 0, 2_000, 'KEYS', ...keys.map(String))
    }
  })
  // The new one first: it is never to be without an owner.
  for (const { server } of [to, from, ...others.filter((other) => other !== to)])
    await ask(server, 'CLUSTER', 'SETSLOT', slot, 'NODE', to.id)
}

function includes(range: string, slot: number): boolean {
  if (range.startsWith('[')) return false
  const [first = '', last = first] = range.split('-')
  return Number(first) <= slot && slot <= Number(last)
}
