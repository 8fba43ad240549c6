import type { LockPort } from './lock-port.js'
import type { StoreSession } from './store.js'

/** What a kind of lock is, for whoever has to tell kinds apart: a row of the table in `kinds/kinds.ts`. */
export interface Kind {
  /** For people, and in sequencers. */
  readonly name: string
  /** Kinds of one keyspace are one lock in the store, if they have one name. */
  readonly keyspace: 'lock' | 'read-write' | 'semaphore' | 'permits' | 'latch'
  /** Whether several owners may hold it at a time, each with a tenure of its own; none is handed over in memory then. */
  readonly shared: boolean
  /** Whether each tenure has a fencing token, which makes sequencers possible: then the lock changes hands in the store only. */
  readonly fenced: boolean
  /** Who has a place in the line that the store keeps, if it keeps one: each process, for all its calls, or each call. */
  readonly placePer: 'process' | 'call' | undefined
  /** Whether an owner may take it again. Else each acquisition stands for itself: for an owner of its own, and no scope for what runs under it. */
  readonly reentrant: boolean
  /** Whether an acquisition leaves something in the store that a failover could lose. */
  readonly kept: boolean
  /** What keeps it, in a store that can. */
  port(session: StoreSession): LockPort | undefined
}
