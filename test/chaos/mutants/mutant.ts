import type { HoldfastOptions } from '../../../src/index.js'
import type { Fault } from '../../mutants/fault.js'
import type { Finding } from '../checker/finding.js'
import type { Kind } from '../program/kinds.js'
import type { TopologyName } from '../topologies/topology.js'

export interface Mutant extends Fault {
  readonly nemesis: string
  /** Where it shows. Default: one server, RESP2. */
  readonly topology?: TopologyName
  readonly kinds: readonly Kind[]
  readonly options?: HoldfastOptions
  readonly longWork?: boolean
  readonly caughtBy: ReadonlyArray<Finding['check']>
  /** Whether it is tried in the short run of the CI's. */
  readonly quick?: boolean
}
