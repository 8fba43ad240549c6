import { withAdmin } from '../../servers/admin.js'
import { bringCluster, bringServer, type Cluster, type Server } from '../../servers/index.js'
import { freePort } from '../../servers/port.js'
import { until } from '../../servers/until.js'
import { Wire } from '../../wire/wire.js'
import type { Route } from '../order.js'
import { flush } from './flush.js'
import { natMapOf } from './nat-map.js'
import { DEBUGGABLE } from './standalone.js'
import type { Topology } from './topology.js'

export async function bringClusterWithReplica(): Promise<Topology> {
  const cluster = await bringCluster({ prefer: 'binary', args: DEBUGGABLE })
  const replica = await addReplica(cluster).catch(async (error: unknown) => {
    await cluster.stop()
    throw error
  })
  const servers = [...cluster.nodes, replica]
  const to = (wires: readonly Wire[]): Route => ({
    to: 'cluster',
    nodes: (wires.length > 0 ? wires : servers).map(({ host, port }) => ({ host, port })),
    natMap: natMapOf(wires),
  })
  return {
    name: 'cluster',
    servers,
    direct: to([]),
    failover: () => failover(servers),
    empty: () => flush(servers),
    async route() {
      const wires = await Promise.all(servers.map((server) => Wire.before(server)))
      return { route: to(wires), wires }
    },
    async stop() {
      await Promise.all([cluster.stop(), replica.stop()])
    },
  }
}

async function addReplica(cluster: Cluster): Promise<Server> {
  const bus = await freePort()
  const replica = await bringServer({
    prefer: 'binary',
    args: [
      ...['--cluster-enabled', 'yes', '--cluster-port', String(bus)],
      ...['--cluster-announce-ip', '127.0.0.1', '--cluster-node-timeout', '5000'],
      ...DEBUGGABLE,
    ],
  })
  const [master] = cluster.nodes
  if (!master) throw new Error('a cluster has nodes')
  for (const node of cluster.nodes)
    await withAdmin(node, (command) => command('CLUSTER', 'MEET', replica.host, replica.port, bus))
  const id = String(await withAdmin(master, (command) => command('CLUSTER', 'MYID')))
  await withAdmin(replica, async (command) => {
    await until(async () => (await command('CLUSTER', 'REPLICATE', id)) === 'OK', {
      what: 'the replica knows its master',
    })
  })
  await untilFollows(replica)
  for (const node of cluster.nodes)
    await withAdmin(node, (command) =>
      until(async () => String(await command('CLUSTER', 'NODES')).includes(`slave ${id}`), {
        what: 'every master knows the replica',
      }),
    )
  return replica
}

/** Has the replica take its master's place, without loss: both agree on what was written. */
async function failover(servers: readonly Server[]): Promise<void> {
  for (const server of servers) {
    if ((await roleOf(server)) !== 'slave') continue
    await untilFollows(server)
    await withAdmin(server, async (command) => {
      await command('CLUSTER', 'FAILOVER')
      await until(async () => JSON.stringify(await command('ROLE')).includes('master'), {
        what: 'the replica has become the master',
      })
    })
    return
  }
}

async function roleOf(server: Server): Promise<string> {
  return withAdmin(server, async (command) => {
    const role = await command('ROLE')
    return Array.isArray(role) ? String(role[0]) : ''
  })
}

async function untilFollows(replica: Server): Promise<void> {
  await withAdmin(replica, (command) =>
    until(async () => String(await command('INFO', 'replication')).includes('master_link_status:up'), {
      what: 'the replica follows its master',
    }),
  )
}
