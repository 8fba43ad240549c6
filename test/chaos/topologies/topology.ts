import type { Server } from '../../servers/index.js'
import type { Fault } from '../history/fault.js'
import type { Wire } from '../network/wire.js'
import type { Route } from '../order.js'
import { type Kind, kinds } from '../program/kinds.js'
import type { Database } from './database.js'

export const redisTopologies = ['standalone-2', 'standalone-3', 'cluster', 'sentinel', 'quorum'] as const
export const serverTopologies = [
  'postgres',
  'postgres-sync',
  'postgres-async',
  'postgres-pooler',
  'mysql',
  'mariadb',
] as const
export const databaseTopologies = [...serverTopologies, 'sqlite'] as const
/** Those whose workers talk over wires. */
export const wiredTopologies = [...redisTopologies, ...serverTopologies] as const
export const topologyNames = [...redisTopologies, ...databaseTopologies] as const
export type TopologyName = (typeof topologyNames)[number]

/** Those where nobody stands in the store's line: calls ask again and again. */
const POLLED: readonly TopologyName[] = ['quorum', 'postgres-pooler', 'mysql', 'mariadb']
const LINELESS: readonly Kind[] = kinds.filter((kind) => kind !== 'fair' && kind !== 'read-write')

const kindsOf: Partial<Record<TopologyName, readonly Kind[]>> = {
  quorum: ['lock', 'multi', 'striped'],
  mysql: LINELESS,
  mariadb: LINELESS,
  // A latch whose opening is lost stays closed, and no lease ends.
  'postgres-async': kinds.filter((kind) => kind !== 'latch'),
}

/** Of those kinds, the ones that are kept there. */
export function kindsAt(name: TopologyName, wanted: readonly Kind[]): Kind[] {
  const kept = kindsOf[name] ?? kinds
  return wanted.filter((kind) => kept.includes(kind))
}

export function isPolled(name: TopologyName): boolean {
  return POLLED.includes(name)
}

/** Whether locks are rows there. */
export function isDatabase(name: TopologyName): boolean {
  return databaseTopologies.some((each) => each === name)
}

/** The servers of an episode. */
export interface Topology {
  readonly name: TopologyName
  /** Those of Redis that keep data, replicas among them. */
  readonly servers: readonly Server[]
  /** Where locks are rows. */
  readonly database?: Database
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
  /** Removes all data. */
  empty(): Promise<void>
  /** A way to the servers for one worker alone, over wires of its own. */
  route(): Promise<{ readonly route: Route; readonly wires: readonly Wire[] }>
  stop(): Promise<void>
}
