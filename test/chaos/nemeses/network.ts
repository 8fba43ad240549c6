import { wiredTopologies } from '../topologies/topology.js'
import type { Nemesis, Scene } from './nemesis.js'

const FARTHEST_MS = 10

export const delay: Nemesis = {
  name: 'proxy-delay',
  topologies: wiredTopologies,
  harmless: true,
  async strike({ random, victims, fault }) {
    // Who is far away stays so for long: else nobody would starve for it.
    const set = victims.some(({ wires }) => wires.some(({ delayMs }) => delayMs > 0))
    if (set && random.chance(0.9)) return
    await fault('unequal ways', () => {
      for (const { wires } of victims) {
        const delayMs = random.chance(0.5) ? 0 : random.whole(1, FARTHEST_MS)
        // Now and then each server is at a distance of its own: a quorum's answers then come in another order from everywhere.
        const each = random.chance(0.3)
        for (const wire of wires) wire.delayMs = each ? random.whole(0, FARTHEST_MS) : delayMs
      }
    })
  },
}

export const cut: Nemesis = {
  name: 'proxy-cut',
  topologies: wiredTopologies,
  async strike({ random, victims, fault }) {
    const victim = random.pick(victims)
    await fault(
      `connections of ${victim.name} cut`,
      () => {
        for (const wire of victim.wires) if (random.chance(0.7)) wire.breakAll()
      },
      { cutsOff: true },
    )
  },
}

export const refuse: Nemesis = {
  name: 'proxy-refuse',
  topologies: wiredTopologies,
  async strike({ random, victims, fault, pause }) {
    const victim = random.pick(victims)
    await fault(
      `connections of ${victim.name} refused`,
      async () => {
        for (const wire of victim.wires) {
          wire.refuse()
          wire.breakAll()
        }
        await pause(100, 2_500)
        for (const wire of victim.wires) wire.heal('lost')
      },
      { cutsOff: true },
    )
  },
}

export const silence: Nemesis = {
  name: 'proxy-silence',
  topologies: wiredTopologies,
  strike: (scene) => silent(scene, 'lost', 3_000),
}

export const late: Nemesis = {
  name: 'proxy-late',
  topologies: wiredTopologies,
  strays: true,
  strike: (scene) => silent(scene, 'delivered', 3_000),
}

/** A silence that outlasts what calls put up with. */
export const dark: Nemesis = {
  name: 'proxy-dark',
  topologies: wiredTopologies,
  options: { watchdogMs: 2_400, commandTimeoutMs: 400, storeTimeoutMs: 800 },
  // What was held then is lost.
  freezes: true,
  strike: (scene) => silent(scene, 'lost', 7_000),
}

/** Connections that fall silent one by one, while new ones would be good. */
export const hush: Nemesis = {
  name: 'proxy-hush',
  topologies: wiredTopologies,
  keepsHolds: true,
  longWork: true,
  async strike({ random, victims, fault, pause }) {
    const victim = random.pick(victims)
    await fault(`connections of ${victim.name} fall silent`, () => {
      for (const wire of victim.wires) wire.hush()
    })
    // One loss of a connection within a lease is to be got over.
    await pause(4_000, 5_000)
  },
}

/** The same where a command may take as long as a lease. */
export const hushShort: Nemesis = {
  ...hush,
  name: 'proxy-hush-short',
  options: { watchdogMs: 3_000, commandTimeoutMs: 3_000 },
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
