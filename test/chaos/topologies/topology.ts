import type { Server } from '../../servers/index.js'
import type { Wire } from '../network/wire.js'
import type { Route } from '../order.js'

export const topologyNames = ['standalone-2', 'standalone-3', 'cluster', 'sentinel', 'quorum'] as const
export type TopologyName = (typeof topologyNames)[number]

/** The servers of an episode. */
export interface Topology {
  readonly name: TopologyName
  /** Those that keep data, replicas among them. */
  readonly servers: readonly Server[]
  /** The way to the servers without wires, for the parent. */
  readonly direct: Route
  /** Has one of the servers replaced by another; where the topology knows how. */
  readonly failover?: () => Promise<void>
  /** Resolves when all of them serve; where that takes time after a start. */
  readonly settled?: () => Promise<void>
  /** A way to the servers for one worker alone, over wires of its own. */
  route(): Promise<{ readonly route: Route; readonly wires: readonly Wire[] }>
  stop(): Promise<void>
}
