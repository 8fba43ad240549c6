import type { HoldfastOptions } from '../../../src/index.js'
import type { Fault } from '../history/fault.js'
import type { Wire } from '../network/wire.js'
import type { Command } from '../order.js'
import type { Random } from '../program/random.js'
import type { Resource } from '../program/resource.js'
import type { Topology, TopologyName } from '../topologies/topology.js'

/** A worker as a nemesis sees it. */
export interface Victim {
  readonly name: string
  readonly wires: readonly Wire[]
  tell(command: Command): void
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Ends it with SIGKILL, and starts another in its place. */
  kill(): Promise<void>
}

/** What a nemesis has to hand. */
export interface Scene {
  readonly random: Random
  readonly topology: Topology
  readonly resources: readonly Resource[]
  readonly victims: readonly Victim[]
  /** Whether the load goes on; a nemesis ends when it does not. */
  readonly goesOn: boolean
  pause(leastMs: number, mostMs: number): Promise<void>
  /** Does something, and writes down that it was done, from its beginning to its end. */
  fault(
    what: string,
    act: () => Promise<void> | void,
    traits?: Partial<Pick<Fault, 'loses' | 'cutsOff'>>,
  ): Promise<void>
}

/** Something that goes wrong. */
export interface Nemesis {
  readonly name: string
  readonly topologies: readonly TopologyName[]
  /** Settings of the clients. Default: those of the episode. */
  readonly options?: HoldfastOptions
  /** Whether workers stand still or die, so that others wait for what was theirs. */
  readonly freezes?: boolean
  /** Goes wrong once. Called again and again, with pauses between. */
  strike(scene: Scene): Promise<void>
}
