import type { System } from '../drivers/place.js'
import type { BlockedAnswer, HeldLocks } from '../drivers/programs.js'
import type { FleetFigures } from '../simulated/order.js'
import type { Outcome } from './cell.js'
import type { Machine } from './machine.js'

/** One cell of one round. */
export interface CellResult {
  readonly scenario: string
  readonly library: string
  readonly round: number
  readonly tookMs: number
  readonly result: Outcome
}

/** What a program beside the cells said, or why it said nothing. */
export type Answer<Value> = Value | { readonly failed: string }

/** How a table of locks grew under many sections on few names. */
export interface TableGrowth {
  readonly system: System
  readonly names: number
  readonly sections: number
  readonly sectionsPerSecond: number
  /** The most that was seen in between, with the indexes. */
  readonly mostBytes: number
  readonly bytes: number
}

/** How long a lock stayed after its holder was killed. */
export interface TakeOver {
  readonly system: System
  readonly watchdogMs: number
  readonly medianMs: number
  readonly worstMs: number
}

/** What thousands of clients of one lock ask of a server, or of a Cluster. */
export interface ManyClients {
  readonly clients: number
  readonly cluster: boolean
  readonly lingerMs: number | 'auto'
  /** Of all nodes together, for each client. */
  readonly connectionsEach: number
  /** In the servers, connected, over what there was without clients. */
  readonly idleBytesEach: number
  /** What it needs besides while it waits in line. */
  readonly waitingBytesEach: number
  readonly sectionsPerSecond: number
  readonly commandsPerSection: number
  readonly messagesPerSection: number
  readonly serverUsPerSection: number
  readonly jain: number
  readonly starved: number
  readonly worstWaitMs: number
}

/** What the programs beside the cells have found. */
export interface ProgramAnswers {
  /** Absent where it was not asked for. */
  readonly simulated?: readonly Answer<FleetFigures>[]
  /** Absent where it was not asked for. */
  readonly manyClients?: readonly Answer<ManyClients>[]
  readonly heldLocks: Answer<HeldLocks> | undefined
  readonly blocked: readonly Answer<BlockedAnswer>[]
  /** Absent where it was not asked for. */
  readonly tables?: readonly Answer<TableGrowth>[]
  /** Absent where it was not asked for. */
  readonly takeOvers?: readonly Answer<TakeOver>[]
  /** How long the disk takes to keep a write, in ms, for what waits for that. */
  readonly flushMs?: number | undefined
}

/** A later run of some scenarios, whose figures have taken the place of the first run's. */
export interface Addition {
  readonly startedAt: string
  readonly tookMs: number
  readonly rounds: number
  readonly machine: Machine
  readonly scenarios: readonly string[]
}

/** All that a run has found; what `results.json` holds and the page is made from. */
export interface Results extends ProgramAnswers {
  readonly startedAt: string
  readonly tookMs: number
  readonly rounds: number
  readonly machine: Machine
  readonly cells: readonly CellResult[]
  /** The latest last. Absent where all is of one run. */
  readonly additions?: readonly Addition[]
}
