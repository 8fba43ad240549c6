import { ask } from '../../servers/admin.js'
import type { Server } from '../../servers/index.js'
import { nemesis, type Scene } from './nemesis.js'

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

export const restart = nemesis('server-restart', ALONE, {}, async (scene) => {
  await befalls(scene, 'restart with its data', (server) => server.restart({ keepData: true }))
  await recovery(scene)
})

export const crash = nemesis('server-crash', ALONE, { losesData: true }, async (scene) => {
  // One server of those there are. Of a quorum that is a minority, which it gets over.
  const loses = scene.topology.name === 'quorum' ? 'nothing' : 'all'
  await befalls(scene, 'restart without data', (server) => server.restart({ keepData: false }), { loses })
  await recovery(scene)
})

export const serverPause = nemesis('server-pause', ALL, {}, (scene) =>
  befalls(scene, 'SIGSTOP', async (server) => {
    await server.pause()
    // A sentinel has its primary replaced after two seconds, a cluster after five.
    await scene.pause(100, scene.topology.name === 'sentinel' ? 1_200 : 3_000)
    await server.resume()
  }),
)

export const debugSleep = nemesis('debug-sleep', ALL, {}, async (scene) => {
  // A sentinel has its primary replaced after two seconds.
  const seconds = scene.random.whole(1, scene.topology.name === 'sentinel' ? 12 : 25) / 10
  await befalls(scene, `DEBUG SLEEP ${seconds}`, (server) => ask(server, 'DEBUG', 'SLEEP', seconds))
})

export const clientPause = nemesis('client-pause', ALL, {}, async (scene) => {
  const ms = scene.random.whole(50, 2_500)
  const mode = scene.random.pick(['WRITE', 'ALL'])
  await befalls(scene, `CLIENT PAUSE ${ms} ${mode}`, async (server) => {
    await ask(server, 'CLIENT', 'PAUSE', ms, mode)
    await scene.pause(ms, ms)
  })
})

export const clientKill = nemesis('client-kill', ALL, {}, async (scene) => {
  const type = scene.random.pick(['normal', 'pubsub'])
  const kill = (server: Server) => ask(server, 'CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes')
  await befalls(scene, `CLIENT KILL TYPE ${type}`, kill)
})

export const scriptFlush = nemesis('script-flush', ALL, { harmless: true }, async ({ topology, fault }) => {
  const flush = (server: Server) => ask(server, 'SCRIPT', 'FLUSH')
  await fault('SCRIPT FLUSH', () => Promise.all(topology.servers.map(flush)))
})

const REPLICATED = ['sentinel', 'cluster', 'postgres-sync', 'postgres-async'] as const

/** A replica takes its primary's place, perhaps without the last that was written. */
export const failover = nemesis('failover', REPLICATED, { losesData: true }, async (scene) => {
  const { topology, fault, pause } = scene
  // In a cluster both sides agree on what was written before they change their parts. A replica that had not heard of the last
  // releases yet takes the locks for held.
  const loses = topology.name === 'sentinel' ? 'all' : ((await topology.fallBehind?.()) ?? 'nothing')
  if (typeof loses === 'object') await pause(200, 1_500)
  const traits = { cutsOff: true, loses, revives: loses !== 'nothing' }
  await fault('failover', async () => topology.failover?.(), traits)
  await pause(1_500, 3_000)
})
