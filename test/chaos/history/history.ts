import type { HistoryEvent } from './event.js'
import type { Fault } from './fault.js'

export interface WorkerHistory {
  readonly worker: string
  readonly events: readonly HistoryEvent[]
  /** When it was killed; undefined: it was not. */
  readonly killedAt: number | undefined
}

export interface History {
  readonly workers: readonly WorkerHistory[]
  readonly faults: readonly Fault[]
  /** When the parent, through which all bytes go, stood still itself, and for how long. */
  readonly parentLags: ReadonlyArray<{ readonly t: number; readonly ms: number }>
  readonly endedAt: number
}
