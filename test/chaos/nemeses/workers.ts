import { topologyNames } from '../topologies/topology.js'
import { type Nemesis, nemesis, SHORT_LEASE } from './nemesis.js'

const FREEZES = { ...SHORT_LEASE, freezes: true }

export const calm = nemesis('calm', topologyNames, { harmless: true }, async () => undefined)

export const kill = nemesis('kill', topologyNames, { ...FREEZES, keepsPlaces: true }, async (scene) => {
  const victim = scene.random.pick(scene.victims)
  await scene.fault(`SIGKILL of ${victim.name}`, () => victim.kill())
})

export const pause = nemesis('pause', topologyNames, FREEZES, async (scene) => {
  const victim = scene.random.pick(scene.victims)
  await scene.fault(`SIGSTOP of ${victim.name}`, async () => {
    victim.signal('SIGSTOP')
    await scene.pause(100, 4_000)
    victim.signal('SIGCONT')
  })
})

export const block = nemesis('block', topologyNames, FREEZES, async (scene) => {
  const victim = scene.random.pick(scene.victims)
  const ms = scene.random.whole(100, 3_500)
  await scene.fault(`${victim.name} blocked for ${ms} ms`, async () => {
    victim.tell({ do: 'block', ms })
    await scene.pause(ms, ms)
  })
})

export const blockWithThread: Nemesis = {
  ...block,
  name: 'block-thread',
  topologies: ['standalone-2', 'standalone-3', 'cluster', 'sentinel'],
  options: { ...SHORT_LEASE.options, watchdogThread: true },
}

// Waits of the past, by that clock, are over; so are leases, before they are for the store.
export const clockStep = nemesis('clock-step', topologyNames, { endsEarly: true }, async (scene) => {
  const victim = scene.random.pick(scene.victims)
  const ms = scene.random.pick([-3_000, -100, 40, 100, 1_000, 5_000, 15_000])
  await scene.fault(`clock of ${victim.name} set by ${ms} ms`, () => victim.tell({ do: 'clock', ms }))
})

/** A client is closed, at once or when its sections had time to end, while another of the same process goes on. */
export const reopen = nemesis('reopen', topologyNames, SHORT_LEASE, async (scene) => {
  const victim = scene.random.pick(scene.victims)
  const drainMs = scene.random.pick([0, 20, 500, 3_000])
  await scene.fault(`client of ${victim.name} closed, with ${drainMs} ms to drain`, async () => {
    victim.tell({ do: 'reopen', drainMs })
    await scene.pause(0, drainMs)
  })
})
