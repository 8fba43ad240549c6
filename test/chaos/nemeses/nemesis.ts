import type { HoldfastOptions } from '../../../src/index.js'
import type { Wire } from '../../wire/wire.js'
import type { Fault } from '../history/history.js'
import type { Command } from '../order.js'
import type { Random } from '../program/random.js'
import type { Resource } from '../program/resource.js'
import type { Topology, TopologyName } from '../topologies/topology.js'

/** So short that what is lost is told, and leases end, in the course of an episode. */
export const SHORT_LEASE = { options: { watchdogMs: 2_400 } }

export interface Victim {
  readonly name: string
  readonly wires: readonly Wire[]
  tell(command: Command): void
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Ends it with SIGKILL, and starts another in its place. */
  kill(): Promise<void>
}

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
    act: () => unknown,
    traits?: Partial<Omit<Fault, 'what' | 'from' | 'to'>>,
  ): Promise<void>
}

export interface Nemesis {
  readonly name: string
  readonly topologies: readonly TopologyName[]
  /** Settings of the clients that differ from those of an episode. */
  readonly options?: HoldfastOptions
  /** Whether workers stand still or die, so that others wait for what was theirs. */
  readonly freezes?: boolean
  /** Whether servers may choose another leader. */
  readonly elects?: boolean
  /** Whether commands arrive long after their senders gave them up: a stray hold then stays for its lease. */
  readonly strays?: boolean
  /** Whether a hold may be over for its holder long before it is for the store. */
  readonly endsEarly?: boolean
  /** Whether calls reach the store all the time, so that every one of them has its answer. */
  readonly harmless?: boolean
  /** Whether nothing of it costs a hold that is renewed. */
  readonly keepsHolds?: boolean
  /** Whether nobody who lives on loses a place in line. */
  readonly keepsPlaces?: boolean
  /** Whether numbers that the store keeps may be lost, or be set back. */
  readonly losesData?: boolean
  /** Whether sections have to last long for it to show. */
  readonly longWork?: boolean
  /** Goes wrong once. Called again and again, with pauses between. */
  strike(scene: Scene): Promise<void>
}

export type Traits = Omit<Nemesis, 'name' | 'topologies' | 'strike'>

export function nemesis(
  name: string,
  topologies: Nemesis['topologies'],
  traits: Traits,
  strike: Nemesis['strike'],
): Nemesis {
  return { name, topologies, ...traits, strike }
}
