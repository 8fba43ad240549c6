import { ask } from '../../servers/admin.js'
import { untilLinked, untilTold } from '../../servers/cluster.js'
import { bringCluster, bringSentinel, bringServer, type Server } from '../../servers/index.js'
import type { Wire } from '../../wire/wire.js'
import type { NatMap } from '../order.js'
import { type Topology, waysTo, wayTo } from './topology.js'

/** For DEBUG SLEEP. */
const DEBUGGABLE = { prefer: 'binary', args: ['--enable-debug-command', 'yes'] } as const
const QUORUM = 3

async function flush(servers: readonly Server[]): Promise<void> {
  // A replica follows its master.
  for (const server of servers) await ask(server, 'FLUSHALL').catch(() => undefined)
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
    async stop() {
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

/** A server that was started a short while ago does not vote yet. */
async function untilAllVote(servers: readonly Server[], guardMs: number): Promise<void> {
  const votes = (told: string): boolean =>
    Number(/^uptime_in_seconds:(\d+)/m.exec(told)?.[1]) * 1_000 > guardMs + 1_000
  for (const server of servers) await untilTold(server, 'votes', ['INFO', 'server'], votes)
}

export async function bringClusterWithReplica(): Promise<Topology> {
  const cluster = await bringCluster({ ...DEBUGGABLE, replicated: 'once' })
  const servers = [...cluster.nodes, ...cluster.replicas]
  return {
    name: 'cluster',
    servers,
    ...waysTo(servers, (nodes, wires) => ({ to: 'cluster', nodes, natMap: natMapOf(wires) })),
    failover: () => failover(servers),
    empty: () => flush(servers),
    stop: () => cluster.stop(),
  }
}

/** Has the replica take its master's place, without loss: both agree on what was written. */
async function failover(servers: readonly Server[]): Promise<void> {
  for (const server of servers) {
    const role = await ask(server, 'ROLE')
    if (!Array.isArray(role) || role[0] !== 'slave') continue
    await untilLinked(server)
    await ask(server, 'CLUSTER', 'FAILOVER')
    await untilTold(server, 'has become a master', ['ROLE'], (told) => told.startsWith('master'))
    return
  }
}
