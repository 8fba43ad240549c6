import type { Policy, QueueParts } from './queue/policy.js'

/** What the core has to know of a kind of lock. */
export interface KindTraits {
  /** For people, and in sequencers. */
  readonly name: string
  /** What asking for it is called in errors; `acquire` where absent. */
  readonly asks?: 'await' | undefined
  /** Whether several owners may hold it at a time, each with a tenure of its own; none is handed over in memory then. */
  readonly shared?: boolean
  /** Whether each tenure has a fencing token, which makes sequencers possible: then the lock changes hands in the store only. */
  readonly fenced?: boolean
  /** What has a place in the line that the store keeps, if it keeps one: each process, for all its calls, or each call. */
  readonly placePer?: 'process' | 'call'
  /** What decides between the calls of one process. */
  readonly policy: new (
    queue: QueueParts,
  ) => Policy
}
