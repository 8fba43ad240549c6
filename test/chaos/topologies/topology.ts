import type { Server } from '../../servers/index.js'
import type { MemcachedServer } from '../../servers/memcached.js'
import { type Endpoint, Wire } from '../../wire/wire.js'
import type { Fault } from '../history/history.js'
import type { Route } from '../order.js'
import type { Database } from './database.js'
import type { Ensemble } from './ensemble.js'

export const redisTopologies = ['standalone-2', 'standalone-3', 'cluster', 'sentinel', 'quorum'] as const
const postgresTopologies = ['postgres', 'postgres-sync', 'postgres-async', 'postgres-pooler'] as const
export const serverTopologies = [...postgresTopologies, 'mysql', 'mariadb'] as const
export const databaseTopologies = [...serverTopologies, 'sqlite'] as const
export const ensembleTopologies = ['etcd', 'zookeeper'] as const
export const coordinationTopologies = [...ensembleTopologies, 'memcached'] as const
/** Those whose workers talk over wires. */
export const wiredTopologies = [...redisTopologies, ...serverTopologies, ...coordinationTopologies] as const
export const topologyNames = [...redisTopologies, ...databaseTopologies, ...coordinationTopologies] as const
export type TopologyName = (typeof topologyNames)[number]

export interface Topology {
  readonly name: TopologyName
  /** Those of Redis that keep data, replicas among them. */
  readonly servers: readonly Server[]
  /** Where locks are rows. */
  readonly database?: Database
  /** Where a majority decides. */
  readonly ensemble?: Ensemble
  /** What keeps locks and may forget them. */
  readonly cache?: MemcachedServer
  /** The way to the servers without wires, for the parent. */
  readonly direct: Route
  /** Has one of the servers replaced by another, and tells what that may lose; where the topology knows how. */
  readonly failover?: () => Promise<void>
  /** Stops the replication. Since then, what is written may be lost; undefined: nothing may. Where replicas may lag. */
  readonly fallBehind?: () => Promise<Fault['loses']>
  /** Resolves when all of them serve; where that takes time after a start. */
  readonly settled?: () => Promise<void>
  /** Whether no further episode can be had of it. */
  readonly spent?: boolean
  empty(): Promise<void>
  /** A way to the servers for one worker alone, over wires of its own. */
  route(): Promise<{ readonly route: Route; readonly wires: readonly Wire[] }>
  stop(): Promise<void>
}

/** The ways to some servers: each by its own address, or by a wire before it. */
export function waysTo(
  targets: readonly Endpoint[],
  to: (at: readonly Endpoint[], wires: readonly Wire[]) => Route,
): Pick<Topology, 'direct' | 'route'> {
  const addresses = (of: readonly Endpoint[]) => of.map(({ host, port }) => ({ host, port }))
  return {
    get direct() {
      return to(addresses(targets), [])
    },
    async route() {
      const wires = await Promise.all(targets.map((target) => Wire.before(target)))
      return { route: to(addresses(wires), wires), wires }
    },
  }
}

export function wayTo(target: Endpoint, to: (at: Endpoint) => Route): Pick<Topology, 'direct' | 'route'> {
  return waysTo([target], ([at = target]) => to(at))
}
