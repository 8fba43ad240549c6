import type { Ensemble } from '../topologies/ensemble.js'
import { ensembleTopologies } from '../topologies/topology.js'
import { type Nemesis, type Scene, SHORT_LEASE } from './nemesis.js'

function ensembleOf({ topology: { ensemble, name } }: Scene): Ensemble {
  if (!ensemble) throw new Error(`${name} is no ensemble`)
  return ensemble
}

/** A fault from its beginning until all members serve again. */
async function strike(scene: Scene, what: string, act: (ensemble: Ensemble) => Promise<void>): Promise<void> {
  const ensemble = ensembleOf(scene)
  const traits = { cutsOff: true, revives: false }
  const began = performance.now()
  await scene.fault(
    what,
    async () => {
      await act(ensemble)
      await ensemble.serves()
      // Sessions that their clients have given up meanwhile are counted anew by the next leader.
      traits.revives = performance.now() - began > SHORT_LEASE.watchdogMs
    },
    traits,
  )
  await scene.pause(500, 1_500)
}

export const leaderKill: Nemesis = {
  name: 'leader-kill',
  topologies: ensembleTopologies,
  elects: true,
  options: SHORT_LEASE,
  strike: (scene) =>
    strike(scene, 'SIGKILL of the leader', async (ensemble) => {
      const leader = await ensemble.leader()
      await leader.kill()
      await scene.pause(0, 2_500)
      await leader.launch()
    }),
}

/** The leader hangs, for less time or more than it takes to elect another. When it goes on it takes itself for the leader at first. */
export const leaderPause: Nemesis = {
  name: 'leader-pause',
  topologies: ensembleTopologies,
  elects: true,
  options: SHORT_LEASE,
  strike: (scene) =>
    strike(scene, 'SIGSTOP of the leader', async (ensemble) => {
      const leader = await ensemble.leader()
      await leader.pause()
      await scene.pause(100, 4_000)
      await leader.resume()
    }),
}

export const leaderMove: Nemesis = {
  name: 'leader-move',
  topologies: ['etcd'],
  elects: true,
  keepsHolds: true,
  strike: (scene) => strike(scene, 'another leader', async ({ moveLeader }) => moveLeader?.()),
}

/** Two of three crash, or hang, for less time than a session has or more. */
export const quorumLoss: Nemesis = {
  name: 'quorum-loss',
  topologies: ensembleTopologies,
  elects: true,
  options: SHORT_LEASE,
  strike: (scene) => {
    const crash = scene.random.chance(0.5)
    return strike(scene, `${crash ? 'SIGKILL' : 'SIGSTOP'} of two members`, async ({ members }) => {
      const two = scene.random.shuffled([...members]).slice(1)
      await Promise.all(two.map((member) => (crash ? member.kill() : member.pause())))
      await scene.pause(100, 4_500)
      await Promise.all(two.map((member) => (crash ? member.launch() : member.resume())))
    })
  },
}

/** The other members do not reach one of them, perhaps the leader; workers do. */
export const minority: Nemesis = {
  name: 'minority',
  topologies: ensembleTopologies,
  elects: true,
  options: SHORT_LEASE,
  strike: (scene) =>
    strike(scene, 'a member is parted from the others', async (ensemble) => {
      const leads = scene.random.chance(0.5)
      ensemble.isolate(leads ? await ensemble.leader() : scene.random.pick(ensemble.members))
      await scene.pause(500, 4_000)
      ensemble.heal()
    }),
}

/** An operator clears the history away, under all watches, again and again. */
export const compaction: Nemesis = {
  name: 'compaction',
  topologies: ['etcd'],
  harmless: true,
  async strike(scene) {
    await scene.fault('compaction', async () => ensembleOf(scene).compact?.())
  },
}
