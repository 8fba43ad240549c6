import { withAdmin } from '../../servers/admin.js'
import type { Server } from '../../servers/index.js'
import type { Nemesis, Scene } from './nemesis.js'

/** One server of those there are. Of a quorum that is a minority, which it gets over. */
function lossOf({ topology }: Scene): 'nothing' | 'all' {
  return topology.name === 'quorum' ? 'nothing' : 'all'
}

/** Of a quorum, only one member at a time may be one that does not vote: that takes until the load has ended. */
async function recovery({ topology, pause }: Scene): Promise<void> {
  if (topology.name === 'quorum') await pause(11_000, 11_000)
  else await pause(1_000, 2_000)
}

const ALONE = ['standalone-2', 'standalone-3', 'cluster', 'quorum'] as const
const ALL = [...ALONE, 'sentinel'] as const

async function befalls(
  { random, topology, fault }: Scene,
  what: string,
  act: (server: Server) => unknown,
  traits: Parameters<Scene['fault']>[2] = {},
): Promise<void> {
  const server = random.pick(topology.servers)
  await fault(`${what} of ${server.port}`, () => act(server), { cutsOff: true, ...traits })
}

export const restart: Nemesis = {
  name: 'server-restart',
  topologies: ALONE,
  async strike(scene) {
    await befalls(scene, 'restart with its data', (server) => server.restart({ keepData: true }))
    await recovery(scene)
  },
}

export const crash: Nemesis = {
  name: 'server-crash',
  losesData: true,
  topologies: ALONE,
  async strike(scene) {
    const loses = lossOf(scene)
    await befalls(scene, 'restart without data', (server) => server.restart({ keepData: false }), { loses })
    await recovery(scene)
  },
}

export const serverPause: Nemesis = {
  name: 'server-pause',
  topologies: ALL,
  strike: (scene) =>
    befalls(scene, 'SIGSTOP', async (server) => {
      await server.pause()
      // A sentinel has its primary replaced after two seconds, a cluster after five.
      await scene.pause(100, scene.topology.name === 'sentinel' ? 1_200 : 3_000)
      await server.resume()
    }),
}

export const debugSleep: Nemesis = {
  name: 'debug-sleep',
  topologies: ALL,
  async strike(scene) {
    // A sentinel has its primary replaced after two seconds.
    const seconds = scene.random.whole(1, scene.topology.name === 'sentinel' ? 12 : 25) / 10
    await befalls(scene, `DEBUG SLEEP ${seconds}`, (server) =>
      withAdmin(server, (command) => command('DEBUG', 'SLEEP', seconds)),
    )
  },
}

export const clientPause: Nemesis = {
  name: 'client-pause',
  topologies: ALL,
  async strike(scene) {
    const ms = scene.random.whole(50, 2_500)
    const mode = scene.random.pick(['WRITE', 'ALL'])
    await befalls(scene, `CLIENT PAUSE ${ms} ${mode}`, async (server) => {
      await withAdmin(server, (command) => command('CLIENT', 'PAUSE', ms, mode))
      await scene.pause(ms, ms)
    })
  },
}

export const clientKill: Nemesis = {
  name: 'client-kill',
  topologies: ALL,
  async strike(scene) {
    const type = scene.random.pick(['normal', 'pubsub'])
    await befalls(scene, `CLIENT KILL TYPE ${type}`, (server) =>
      withAdmin(server, (command) => command('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes')),
    )
  },
}

export const scriptFlush: Nemesis = {
  name: 'script-flush',
  topologies: ALL,
  harmless: true,
  async strike({ topology: { servers }, fault }) {
    const flush = (server: Server): Promise<unknown> =>
      withAdmin(server, (command) => command('SCRIPT', 'FLUSH'))
    await fault('SCRIPT FLUSH', () => Promise.all(servers.map(flush)))
  },
}

/** A replica takes its primary's place, perhaps without the last that was written. */
export const failover: Nemesis = {
  name: 'failover',
  losesData: true,
  topologies: ['sentinel', 'cluster', 'postgres-sync', 'postgres-async'],
  async strike({ topology, fault, pause }) {
    // In a cluster both sides agree on what was written before they change their parts. A replica that had not heard of the last
    // releases yet takes the locks for held.
    const loses = topology.name === 'sentinel' ? 'all' : ((await topology.fallBehind?.()) ?? 'nothing')
    if (typeof loses === 'object') await pause(200, 1_500)
    await fault(
      'failover',
      async () => {
        await topology.failover?.()
      },
      { cutsOff: true, loses, revives: loses !== 'nothing' },
    )
    await pause(1_500, 3_000)
  },
}
