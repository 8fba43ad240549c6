import { topologyNames } from '../topologies/topology.js'
import type { Nemesis } from './nemesis.js'

export const calm: Nemesis = {
  name: 'calm',
  topologies: topologyNames,
  strike: async () => undefined,
}

export const kill: Nemesis = {
  name: 'kill',
  topologies: topologyNames,
  freezes: true,
  async strike({ random, victims, fault }) {
    const victim = random.pick(victims)
    await fault(`SIGKILL of ${victim.name}`, () => victim.kill())
  },
}
