import type { Ensemble } from '../topologies/ensemble.js'
import { ensembleTopologies } from '../topologies/topology.js'
import { nemesis, type Scene, SHORT_LEASE } from './nemesis.js'

const ELECTS = { ...SHORT_LEASE, elects: true }

function ensembleOf({ topology: { ensemble, name } }: Scene): Ensemble {
  if (!ensemble) throw new Error(`${name} is no ensemble`)
  return ensemble
}

/** A fault from its beginning until all members serve again. */
async function strike(scene: Scene, what: string, act: (ensemble: Ensemble) => Promise<void>): Promise<void> {
  const ensemble = ensembleOf(scene)
  const traits = { cutsOff: true, revives: false }
  const began = performance.now()
  const struck = async (): Promise<void> => {
    await act(ensemble)
    await ensemble.serves()
    // Sessions that their clients have given up meanwhile are counted anew by the next leader.
    traits.revives = performance.now() - began > SHORT_LEASE.options.watchdogMs
  }
  await scene.fault(what, struck, traits)
  await scene.pause(500, 1_500)
}

export const leaderKill = nemesis('leader-kill', ensembleTopologies, ELECTS, (scene) =>
  strike(scene, 'SIGKILL of the leader', async (ensemble) => {
    const leader = await ensemble.leader()
    await leader.kill()
    await scene.pause(0, 2_500)
    await leader.launch()
  }),
)

/** The leader hangs, for less time or more than it takes to elect another. When it goes on it takes itself for the leader at first. */
export const leaderPause = nemesis('leader-pause', ensembleTopologies, ELECTS, (scene) =>
  strike(scene, 'SIGSTOP of the leader', async (ensemble) => {
    const leader = await ensemble.leader()
    await leader.pause()
    await scene.pause(100, 4_000)
    await leader.resume()
  }),
)

export const leaderMove = nemesis('leader-move', ['etcd'], { elects: true, keepsHolds: true }, (scene) =>
  strike(scene, 'another leader', async ({ moveLeader }) => moveLeader?.()),
)

/** Two of three crash, or hang, for less time than a session has or more. */
export const quorumLoss = nemesis('quorum-loss', ensembleTopologies, ELECTS, (scene) => {
  const crash = scene.random.chance(0.5)
  return strike(scene, `${crash ? 'SIGKILL' : 'SIGSTOP'} of two members`, async ({ members }) => {
    const two = scene.random.shuffled([...members]).slice(1)
    await Promise.all(two.map((member) => (crash ? member.kill() : member.pause())))
    await scene.pause(100, 4_500)
    await Promise.all(two.map((member) => (crash ? member.launch() : member.resume())))
  })
})

/** The other members do not reach one of them, perhaps the leader; workers do. */
export const minority = nemesis('minority', ensembleTopologies, ELECTS, (scene) =>
  strike(scene, 'a member is parted from the others', async (ensemble) => {
    const leads = scene.random.chance(0.5)
    ensemble.isolate(leads ? await ensemble.leader() : scene.random.pick(ensemble.members))
    await scene.pause(500, 4_000)
    ensemble.heal()
  }),
)

/** An operator clears the history away, under all watches, again and again. */
export const compaction = nemesis('compaction', ['etcd'], { harmless: true }, async (scene) => {
  await scene.fault('compaction', async () => ensembleOf(scene).compact?.())
})
