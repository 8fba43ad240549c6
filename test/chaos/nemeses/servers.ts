import { withAdmin } from '../../servers/admin.js'
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

export const restart: Nemesis = {
  name: 'server-restart',
  topologies: ['standalone-2', 'standalone-3', 'cluster', 'quorum'],
  async strike(scene) {
    const server = scene.random.pick(scene.topology.servers)
    await scene.fault(`restart of ${server.port} with its data`, () => server.restart({ keepData: true }), {
      cutsOff: true,
    })
    await recovery(scene)
  },
}

export const crash: Nemesis = {
  name: 'server-crash',
  losesData: true,
  topologies: ['standalone-2', 'standalone-3', 'cluster', 'quorum'],
  async strike(scene) {
    const server = scene.random.pick(scene.topology.servers)
    await scene.fault(`restart of ${server.port} without data`, () => server.restart({ keepData: false }), {
      cutsOff: true,
      loses: lossOf(scene),
    })
    await recovery(scene)
  },
}

export const serverPause: Nemesis = {
  name: 'server-pause',
  topologies: ['standalone-2', 'standalone-3', 'cluster', 'sentinel', 'quorum'],
  async strike({ random, topology, fault, pause }) {
    const server = random.pick(topology.servers)
    await fault(
      `SIGSTOP of server ${server.port}`,
      async () => {
        await server.pause()
        // A sentinel has its primary replaced after two seconds, a cluster after five.
        await pause(100, topology.name === 'sentinel' ? 1_200 : 3_000)
        await server.resume()
      },
      { cutsOff: true },
    )
  },
}

export const debugSleep: Nemesis = {
  name: 'debug-sleep',
  topologies: ['standalone-2', 'standalone-3', 'cluster', 'sentinel', 'quorum'],
  async strike({ random, topology, fault }) {
    const server = random.pick(topology.servers)
    // A sentinel has its primary replaced after two seconds.
    const seconds = random.whole(1, topology.name === 'sentinel' ? 12 : 25) / 10
    await fault(
      `DEBUG SLEEP ${seconds} of ${server.port}`,
      () => withAdmin(server, (command) => command('DEBUG', 'SLEEP', seconds)),
      { cutsOff: true },
    )
  },
}

export const clientPause: Nemesis = {
  name: 'client-pause',
  topologies: ['standalone-2', 'standalone-3', 'cluster', 'sentinel', 'quorum'],
  async strike({ random, topology, fault, pause }) {
    const server = random.pick(topology.servers)
    const ms = random.whole(50, 2_500)
    const mode = random.pick(['WRITE', 'ALL'])
    await fault(
      `CLIENT PAUSE ${ms} ${mode} of ${server.port}`,
      async () => {
        await withAdmin(server, (command) => command('CLIENT', 'PAUSE', ms, mode))
        await pause(ms, ms)
      },
      { cutsOff: true },
    )
  },
}

export const clientKill: Nemesis = {
  name: 'client-kill',
  topologies: ['standalone-2', 'standalone-3', 'cluster', 'sentinel', 'quorum'],
  async strike({ random, topology, fault }) {
    const server = random.pick(topology.servers)
    const type = random.pick(['normal', 'pubsub'])
    await fault(
      `CLIENT KILL TYPE ${type} at ${server.port}`,
      () => withAdmin(server, (command) => command('CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes')),
      { cutsOff: true },
    )
  },
}

export const scriptFlush: Nemesis = {
  name: 'script-flush',
  topologies: ['standalone-2', 'standalone-3', 'cluster', 'sentinel', 'quorum'],
  harmless: true,
  async strike({ topology, fault }) {
    await fault('SCRIPT FLUSH', () =>
      Promise.all(
        topology.servers.map((server) => withAdmin(server, (command) => command('SCRIPT', 'FLUSH'))),
      ),
    )
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
