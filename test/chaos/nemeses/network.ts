import type { Wire } from '../../wire/wire.js'
import { wiredTopologies } from '../topologies/topology.js'
import { type Nemesis, nemesis, type Scene, type Traits, type Victim } from './nemesis.js'

const FARTHEST_MS = 10

export const delay = nemesis('proxy-delay', wiredTopologies, { harmless: true }, async (scene) => {
  const { random, victims, fault } = scene
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
})

export const cut = nemesis('proxy-cut', wiredTopologies, {}, async ({ random, victims, fault }) => {
  const { name, wires } = random.pick(victims)
  const cutSome = (): void => {
    for (const wire of wires) if (random.chance(0.7)) wire.breakAll()
  }
  await fault(`connections of ${name} cut`, cutSome, { cutsOff: true })
})

/** For a while the wires of one worker are as something has made them. */
async function spoilt(
  { fault, pause }: Scene,
  { name, wires }: Victim,
  [what, spoil]: readonly [what: string, spoil: (wire: Wire) => void],
  [leastMs, mostMs]: readonly [number, number],
  held: 'lost' | 'delivered',
  silences?: string,
): Promise<void> {
  const act = async (): Promise<void> => {
    for (const wire of wires) spoil(wire)
    await pause(leastMs, mostMs)
    for (const wire of wires) wire.heal(held)
  }
  await fault(`${name} ${what}`, act, { cutsOff: true, silences })
}

export const refuse = nemesis('proxy-refuse', wiredTopologies, {}, async (scene) => {
  const spoil = (wire: Wire): void => {
    wire.refuse()
    wire.breakAll()
  }
  await spoilt(scene, scene.random.pick(scene.victims), ['is refused', spoil], [100, 2_500], 'lost')
})

function silent(name: string, held: 'lost' | 'delivered', mostMs: number, traits: Traits = {}): Nemesis {
  return nemesis(name, wiredTopologies, traits, async (scene) => {
    const victim = scene.random.pick(scene.victims)
    const directions = scene.random.pick([['up'], ['down'], ['up', 'down']] as const)
    const what = `hears and says nothing (${directions.join(' and ')})`
    const span = [mostMs > 3_000 ? mostMs / 2 : 100, mostMs] as const
    await spoilt(scene, victim, [what, (wire) => wire.silence(...directions)], span, held, victim.name)
  })
}

export const silence = silent('proxy-silence', 'lost', 3_000)

export const late = silent('proxy-late', 'delivered', 3_000, { strays: true })

/** A silence that outlasts what calls put up with. */
export const dark = silent('proxy-dark', 'lost', 7_000, {
  options: { watchdogMs: 2_400, commandTimeoutMs: 400, storeTimeoutMs: 800 },
  // What was held then is lost.
  freezes: true,
})

const LONG = { keepsHolds: true, longWork: true }

/** Connections that fall silent one by one, while new ones would be good. */
export const hush = nemesis('proxy-hush', wiredTopologies, LONG, async (scene) => {
  const { random, victims, fault, pause } = scene
  const { name, wires } = random.pick(victims)
  await fault(`connections of ${name} fall silent`, () => {
    for (const wire of wires) wire.hush()
  })
  // One loss of a connection within a lease is to be got over.
  await pause(4_000, 5_000)
})

/** The same where a command may take as long as a lease. */
export const hushShort: Nemesis = {
  ...hush,
  name: 'proxy-hush-short',
  options: { watchdogMs: 3_000, commandTimeoutMs: 3_000 },
}
