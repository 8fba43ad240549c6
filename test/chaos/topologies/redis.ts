import { withAdmin } from '../../servers/admin.js'
import { bringCluster, bringSentinel, bringServer, type Cluster, type Server } from '../../servers/index.js'
import { freePort } from '../../servers/port.js'
import { until } from '../../servers/until.js'
import type { Wire } from '../../wire/wire.js'
import type { NatMap } from '../order.js'
import { type Topology, waysTo, wayTo } from './topology.js'

/** For DEBUG SLEEP. */
const DEBUGGABLE = { prefer: 'binary', args: ['--enable-debug-command', 'yes'] } as const
const QUORUM = 3

async function flush(servers: readonly Server[]): Promise<void> {
  for (const server of servers) {
    // A replica follows its master.
    await withAdmin(server, (command) => command('FLUSHALL')).catch(() => undefined)
  }
}

async function stopAll(servers: ReadonlyArray<{ stop(): Promise<void> }>): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()))
}

/** Has a client take the wires where servers name their own addresses. */
function natMapOf(wires: readonly Wire[]): NatMap {
  return Object.fromEntries(
    wires.map(({ target, host, port }) => [`${target.host}:${target.port}`, { host, port }]),
  )
}

export async function bringStandalone(protocol: 2 | 3): Promise<Topology> {
  const server = await bringServer(DEBUGGABLE)
  return {
    name: `standalone-${protocol}`,
    servers: [server],
    ...wayTo(server, (at) => ({ to: 'standalone', server: at, protocol })),
    empty: () => flush([server]),
    stop: () => server.stop(),
  }
}

export async function bringSentinelGroup(): Promise<Topology> {
  const group = await bringSentinel(DEBUGGABLE)
  const servers = [group.primary, group.replica]
  return {
    name: 'sentinel',
    servers,
    ...waysTo([...group.sentinels, ...servers], (at, wires) => ({
      to: 'sentinel',
      sentinels: at.slice(0, group.sentinels.length),
      name: group.name,
      natMap: natMapOf(wires),
    })),
    failover: () => group.failover(),
    empty: () => flush(servers),
    stop: () => group.stop(),
  }
}

/** Three servers that know nothing of each other. @param restartGuardMs no less than the longest lease */
export async function bringQuorum(restartGuardMs: number): Promise<Topology> {
  const servers = await Promise.all(Array.from({ length: QUORUM }, () => bringServer(DEBUGGABLE)))
  return {
    name: 'quorum',
    servers,
    ...waysTo(servers, (members) => ({ to: 'quorum', members, restartGuardMs })),
    settled: () => untilAllVote(servers, restartGuardMs),
    empty: () => flush(servers),
    stop: () => stopAll(servers),
  }
}

/** A server that was started a short while ago does not vote yet. */
async function untilAllVote(servers: readonly Server[], guardMs: number): Promise<void> {
  const what = 'the server has been up for long enough to vote'
  for (const server of servers)
    await withAdmin(server, (command) =>
      until(
        async () => {
          const info = String(await command('INFO', 'server'))
          return Number(/^uptime_in_seconds:(\d+)/m.exec(info)?.[1]) * 1_000 > guardMs + 1_000
        },
        { what, everyMs: 200 },
      ),
    )
}

export async function bringClusterWithReplica(): Promise<Topology> {
  const cluster = await bringCluster(DEBUGGABLE)
  const replica = await addReplica(cluster).catch(async (error: unknown) => {
    await cluster.stop()
    throw error
  })
  const servers = [...cluster.nodes, replica]
  return {
    name: 'cluster',
    servers,
    ...waysTo(servers, (nodes, wires) => ({ to: 'cluster', nodes, natMap: natMapOf(wires) })),
    failover: () => failover(servers),
    empty: () => flush(servers),
    stop: () => stopAll([cluster, replica]),
  }
}

async function addReplica({ nodes }: Cluster): Promise<Server> {
  const bus = await freePort()
  const replica = await bringServer({
    prefer: 'binary',
    args: [
      ...['--cluster-enabled', 'yes', '--cluster-port', String(bus)],
      ...['--cluster-announce-ip', '127.0.0.1', '--cluster-node-timeout', '5000'],
      ...DEBUGGABLE.args,
    ],
  })
  const [master] = nodes
  if (!master) throw new Error('a cluster has nodes')
  for (const node of nodes)
    await withAdmin(node, (command) => command('CLUSTER', 'MEET', replica.host, replica.port, bus))
  const id = String(await withAdmin(master, (command) => command('CLUSTER', 'MYID')))
  await untilSays(replica, ['CLUSTER', 'REPLICATE', id], 'OK', 'the replica knows its master')
  await untilFollows(replica)
  for (const node of nodes)
    await untilSays(node, ['CLUSTER', 'NODES'], `slave ${id}`, 'every master knows the replica')
  return replica
}

/** Has the replica take its master's place, without loss: both agree on what was written. */
async function failover(servers: readonly Server[]): Promise<void> {
  for (const server of servers) {
    const role = await withAdmin(server, (command) => command('ROLE'))
    if (!Array.isArray(role) || role[0] !== 'slave') continue
    await untilFollows(server)
    await withAdmin(server, (command) => command('CLUSTER', 'FAILOVER'))
    await untilSays(server, ['ROLE'], 'master', 'the replica has become the master')
    return
  }
}

function untilFollows(replica: Server): Promise<void> {
  const what = 'the replica follows its master'
  return untilSays(replica, ['INFO', 'replication'], 'master_link_status:up', what)
}

async function untilSays(
  server: Server,
  words: [string, ...string[]],
  text: string,
  what: string,
): Promise<void> {
  await withAdmin(server, (command) =>
    until(async () => JSON.stringify(await command(...words)).includes(text), { what }),
  )
}
