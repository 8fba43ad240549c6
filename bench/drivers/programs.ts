import type { Place } from './place.js'

/** What the programs beside the drivers are told, as JSON in their one argument, and what they print. */

export interface HeldLocksOrder {
  readonly host: string
  readonly port: number
  readonly locks: number
  readonly watchdogMs: number
}

export interface HeldLocks {
  readonly locks: number
  readonly watchdogMs: number
  /** How fast they were acquired, 500 in flight. */
  readonly acquiredPerSecond: number
  /** Heap and array buffers, after a collection, over what there was before. */
  readonly bytesPerLock: number
  /** Of one core, while they were kept alive for a little more than one watchdog period. */
  readonly shareOfCore: number
  /** Not held any more at the end; without renewals it would be all of them. */
  readonly lost: number
  /** How long renewing kept the event loop from anything else, at worst. */
  readonly worstDelayMs: number
  /** Timers of Holdfast that stand meanwhile. Absent in older runs. */
  readonly timers?: number
}

export interface BlockedOrder {
  readonly host: string
  readonly port: number
  readonly watchdogMs: number
  readonly blockMs: number
  readonly watchdogThread: boolean
}

export interface Blocked {
  readonly watchdogThread: boolean
  /** Whether `assertHeld()` was content in the first statement after the block. */
  readonly heldAtFirstCheck: boolean
  readonly abortedAtFirstCheck: boolean
  readonly abortedSoonAfter: boolean
  /** Whether the key was still in the server then. */
  readonly keyThere: boolean
}

export type BlockedAnswer = Blocked | { readonly unsupported: string }

export interface TakeOverOrder extends Place {
  readonly name: string
  readonly watchdogMs: number
}

export interface TableGrowthOrder extends Place {
  readonly names: number
  readonly sections: number
}

export interface TableGrowthAnswer {
  readonly sectionsPerSecond: number
}

/** Many clients in one process, each as if it were a process. */
export interface ManyClientsOrder {
  readonly nodes: readonly { readonly host: string; readonly port: number }[]
  readonly cluster: boolean
  readonly name: string
  readonly clients: number
  /** Those of the other processes too. */
  readonly allClients: number
  readonly lingerMs: number | 'auto'
}

export interface ManyClientsAnswer {
  /** Of each client. */
  readonly sections: readonly number[]
  readonly worstWaitMs: number
  readonly commands: number
}
