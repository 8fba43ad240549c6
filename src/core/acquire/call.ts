import type { Owner, Scope } from '../../base/identity/owner.js'
import type { AcquireReply, AcquireRequest, Polls } from '../../port/lock-port.js'

/** What a call wants. */
export interface Call {
  readonly name: string
  /** For whom it acts, and from where (rule O2). */
  readonly caller: Scope
  /** The scope the hold will belong to: the caller's own, or that of the section it opens. */
  readonly holder: Scope
  /** Whether its owner was made for it: then no other call acts for the same one, and the owner has nothing else. */
  readonly unrelated: boolean
  /** Infinity: as long as it takes. Zero: one attempt. */
  readonly waitMs: number
  /** Undefined: the watchdog renews. */
  readonly leaseMs: number | undefined
  readonly maxHoldMs: number
  /** How long the process may keep the lock after its release; `'auto'`: as its habit is; absent: not at all. */
  readonly lingerMs?: number | 'auto' | undefined
  /** False: within a section of its own owner it is refused. Absent: it enters once more. */
  readonly reentrant?: boolean | undefined
  /** Whether it is for one of several locks of which any will do. */
  readonly anyOf?: boolean | undefined
  /** The call for several locks that makes this one. */
  readonly composition?: Composition | undefined
  /** How many permits it wants, where the kind has permits. */
  readonly permits?: number | undefined
  /** Whether it makes one attempt, however long its caller waits. */
  readonly once?: boolean | undefined
  /** Whether its one attempt is repeated while the store fails for the moment, as those of a call that waits are. */
  readonly insists?: boolean | undefined
  /** What sends its requests, where that is no plain `acquire`; undefined when one has to go by itself. */
  readonly sends?: ((request: AcquireRequest) => Promise<AcquireReply> | undefined) | undefined
  /** Where it does not listen to news: how long to pause between attempts. Absent: as the port says. */
  readonly polls?: Polls | undefined
  readonly signal: AbortSignal | undefined
  /** Since when the store has failed its caller, where it carries on what other calls began; absent: it has not. */
  readonly failingSince?: number | undefined
}

/** A call for several locks, which makes a call for each of them: of several kinds, perhaps, and of several clients. */
export interface Composition {
  readonly waitMs: number
  /** Settles when the call ends. When it hears that it does not get all it gives back what it has got. */
  readonly work: Promise<unknown> | undefined
  /** Ends it, whichever of the locks it waits for. */
  cancel(reason: unknown): void
}

/** A call's end without the lock. */
export interface Refusal {
  readonly waitedMs: number
  readonly holder: Owner | undefined
  readonly heldSince: number | undefined
  readonly remainingMs: number | undefined
  /** The store's trouble, when it was that and no holder that stood in the way. */
  readonly cause: unknown
  /** Since when the store fails; undefined if it answered. */
  readonly failingSince: number | undefined
}
