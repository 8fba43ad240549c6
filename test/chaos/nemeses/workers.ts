import { topologyNames } from '../topologies/topology.js'
import { type Nemesis, SHORT_LEASE } from './nemesis.js'

export const calm: Nemesis = {
  name: 'calm',
  topologies: topologyNames,
  harmless: true,
  strike: async () => undefined,
}

export const kill: Nemesis = {
  name: 'kill',
  topologies: topologyNames,
  options: SHORT_LEASE,
  freezes: true,
  keepsPlaces: true,
  async strike({ random, victims, fault }) {
    const victim = random.pick(victims)
    await fault(`SIGKILL of ${victim.name}`, () => victim.kill())
  },
}

export const pause: Nemesis = {
  name: 'pause',
  topologies: topologyNames,
  options: SHORT_LEASE,
  freezes: true,
  async strike({ random, victims, fault, pause: wait }) {
    const victim = random.pick(victims)
    await fault(`SIGSTOP of ${victim.name}`, async () => {
      victim.signal('SIGSTOP')
      await wait(100, 4_000)
      victim.signal('SIGCONT')
    })
  },
}

export const block: Nemesis = {
  name: 'block',
  topologies: topologyNames,
  options: SHORT_LEASE,
  freezes: true,
  async strike({ random, victims, fault, pause: wait }) {
    const victim = random.pick(victims)
    const ms = random.whole(100, 3_500)
    await fault(`${victim.name} blocked for ${ms} ms`, async () => {
      victim.tell({ do: 'block', ms })
      await wait(ms, ms)
    })
  },
}

export const blockWithThread: Nemesis = {
  ...block,
  name: 'block-thread',
  topologies: ['standalone-2', 'standalone-3', 'cluster', 'sentinel'],
  options: { ...SHORT_LEASE, watchdogThread: true },
}

export const clockStep: Nemesis = {
  name: 'clock-step',
  topologies: topologyNames,
  // Waits of the past, by that clock, are over; so are leases, before they are for the store.
  endsEarly: true,
  async strike({ random, victims, fault }) {
    const victim = random.pick(victims)
    const ms = random.pick([-3_000, -100, 40, 100, 1_000, 5_000, 15_000])
    await fault(`clock of ${victim.name} set by ${ms} ms`, () => victim.tell({ do: 'clock', ms }))
  },
}

/** A client is closed, at once or when its sections had time to end, while another of the same process goes on. */
export const reopen: Nemesis = {
  name: 'reopen',
  topologies: topologyNames,
  options: SHORT_LEASE,
  async strike({ random, victims, fault, pause: wait }) {
    const victim = random.pick(victims)
    const drainMs = random.pick([0, 20, 500, 3_000])
    await fault(`client of ${victim.name} closed, with ${drainMs} ms to drain`, async () => {
      victim.tell({ do: 'reopen', drainMs })
      await wait(0, drainMs)
    })
  },
}
