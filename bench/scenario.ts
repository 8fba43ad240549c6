import type { Kind } from './drivers/order.js'
import type { System } from './drivers/place.js'

/** One line-up of processes and waiters, in which libraries are compared. */
export interface Scenario {
  readonly name: string
  readonly title: string
  readonly kind: Kind
  /** What happens in it, where that is not what happens in all of its kind. */
  readonly meaning?: string
  /** Where the locks are. Absent: in Redis. */
  readonly system?: System
  readonly processes: number
  /** Tasks in each process. */
  readonly waiters: number
  readonly sectionMs: 0 | 1
  readonly depth: number
  /** How long it goes on; a burst ends by itself. */
  readonly durationMs: number
  /** Burst: the end of patience. Loop: how long the waiters of the end may take. */
  readonly giveUpMs: number
  /** The same for libraries that are slow under contention. */
  readonly slowGiveUpMs: number
  readonly libraries: readonly string[]
  /** Libraries that are measured in the first round only, because their figure costs minutes and is not close. */
  readonly onceOnly: readonly string[]
  /** How many uncontended sections come before, where it is not the usual number. */
  readonly warmUpCycles?: number
}
