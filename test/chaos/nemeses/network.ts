import { topologyNames } from '../topologies/topology.js'
import type { Nemesis, Scene } from './nemesis.js'

const FARTHEST_MS = 10

export const delay: Nemesis = {
  name: 'proxy-delay',
  topologies: topologyNames,
  harmless: true,
  unequal: true,
  async strike({ random, victims, fault }) {
    await fault('unequal ways', () => {
      for (const { wires } of victims) {
        const delayMs = random.chance(0.5) ? 0 : random.whole(1, FARTHEST_MS)
        for (const wire of wires) wire.delayMs = delayMs
      }
    })
  },
}

export const cut: Nemesis = {
  name: 'proxy-cut',
  topologies: topologyNames,
  async strike({ random, victims, fault }) {
    const victim = random.pick(victims)
    await fault(
      `connections of ${victim.name} cut`,
      () => {
        for (const wire of victim.wires) if (random.chance(0.7)) wire.cut()
      },
      { cutsOff: true },
    )
  },
}

export const refuse: Nemesis = {
  name: 'proxy-refuse',
  topologies: topologyNames,
  async strike({ random, victims, fault, pause }) {
    const victim = random.pick(victims)
    await fault(
      `connections of ${victim.name} refused`,
      async () => {
        for (const wire of victim.wires) wire.refuse()
        await pause(100, 2_500)
        for (const wire of victim.wires) wire.heal('lost')
      },
      { cutsOff: true },
    )
  },
}

export const silence: Nemesis = {
  name: 'proxy-silence',
  topologies: topologyNames,
  strike: (scene) => silent(scene, 'lost', 3_000),
}

export const late: Nemesis = {
  name: 'proxy-late',
  topologies: topologyNames,
  strays: true,
  strike: (scene) => silent(scene, 'delivered', 3_000),
}

/** A silence that outlasts what calls put up with. */
export const dark: Nemesis = {
  name: 'proxy-dark',
  topologies: topologyNames,
  options: { watchdogMs: 2_400, commandTimeoutMs: 400, storeTimeoutMs: 800 },
  // What was held then is lost.
  freezes: true,
  strike: (scene) => silent(scene, 'lost', 7_000),
}

async function silent(
  { random, victims, fault, pause }: Scene,
  held: 'lost' | 'delivered',
  mostMs: number,
): Promise<void> {
  const victim = random.pick(victims)
  const directions = random.pick([['up'], ['down'], ['up', 'down']] as const)
  const { name } = victim
  await fault(
    `${name} hears and says nothing (${directions.join(' and ')})`,
    async () => {
      for (const wire of victim.wires) wire.silence(...directions)
      await pause(mostMs > 3_000 ? mostMs / 2 : 100, mostMs)
      for (const wire of victim.wires) wire.heal(held)
    },
    { cutsOff: true, silences: name },
  )
}
