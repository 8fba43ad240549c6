import type { HoldfastOptions } from '../../../src/index.js'
import type { Fault } from '../../mutants/fault.js'
import type { Finding } from '../checker/finding.js'
import type { Kind } from '../program/kinds.js'
import type { TopologyName } from '../topologies/topology.js'

/** A broken version of the library, and where that shows. */
export interface Mutant extends Fault {
  readonly nemesis: string
  /** Where it shows. Default: one server, RESP2. */
  readonly topology?: TopologyName
  readonly kinds: readonly Kind[]
  /** Settings of the clients that make it show sooner. */
  readonly options?: HoldfastOptions
  /** Whether sections often last long. */
  readonly longWork?: boolean
  /** The checks that may catch it. */
  readonly caughtBy: ReadonlyArray<Finding['check']>
  /** Whether it is tried in the short run of the CI's. */
  readonly quick?: boolean
}
