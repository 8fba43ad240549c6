import type { Owner } from '../identity/owner.js'
import type { LeaseThread } from './lease-thread.js'

/**
 * What a kind of lock must be able to do. Failures are {@link StoreError}s; a `transient` one leaves the outcome unknown, and
 * the same request may then be sent again: every request names the hold count it starts from, so that a store recognises a
 * request it has already carried out (rule X1).
 */
export interface LockPort {
  /** Whether a watch that was sent before an acquire is in force when that acquire runs, confirmed or not (rule C2). */
  readonly watchesInOrder: boolean

  /** Set where the store keeps the line of waiters. */
  readonly line?: StoreLine | undefined

  /** Set where one acquire may take several rounds: then the request says for how long its caller waits. */
  readonly inRounds?: boolean | undefined

  /** Set where several locks can be asked for with one command. */
  readonly together?: BatchPort | undefined

  /** What renews leases in a thread of its own, where that is wanted and can be had. */
  readonly thread?: LeaseThread | undefined

  /** Takes the lock, or one more hold of it, or tells how long the holder has left. */
  acquire(request: AcquireRequest): Promise<AcquireReply>

  /** Undoes an acquire whose caller has left, whether or not it was carried out. */
  abandon(request: AcquireRequest): Promise<void>

  /** Gives a lock that `from` holds to another owner, who then has one hold, with a lease of its own. Nothing is announced. */
  handOver(request: HandOverRequest): Promise<AcquireReply>

  /** Gives one hold back. The last one frees the lock and announces it. */
  release(request: ReleaseRequest): Promise<ReleaseReply>

  /** Starts the leases anew: one answer for each, none waiting for another. `false`: that owner does not hold it. */
  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[]

  /** Calls back on each release of the lock, and whenever one may have been missed: then without particulars. */
  watch(name: string, onNews: (news?: News) => void): Watch

  /** The lock as the store has it now. */
  inspect(name: string): Promise<LockState>

  /** How many clients watch for this lock's release. */
  countWatchers(name: string): Promise<number>

  /** Frees the lock whoever holds it, and announces it. Tells whether it was held. */
  forceUnlock(name: string): Promise<boolean>

  /** The locks whose names match a glob pattern. */
  list(pattern: string): AsyncIterable<LockState>
}

/**
 * Several locks asked for with one command; all of one place, and none of them held by its request's owner. One answer for each:
 * one that is free and was not taken is busy for 0 ms.
 */
export interface BatchPort {
  /** Only locks of one place can be asked for together. All clients agree on it, so that it makes for one order. */
  placeOf(name: string): number
  /** Takes all of them, or none. */
  acquireAll(requests: readonly AcquireRequest[]): Promise<readonly AcquireReply[]>
  /** Takes the first that is free. */
  acquireOne(requests: readonly AcquireRequest[]): Promise<readonly AcquireReply[]>
}

export interface AcquireRequest {
  readonly name: string
  readonly owner: Owner
  /** How many holds the owner has before this one. */
  readonly heldBefore: number
  readonly leaseMs: number
  /** Whether its caller waits if it is busy and hears of a grant, so that a store that keeps the line lets it join. */
  readonly waits?: boolean
  /** How many permits it is for, where the kind has permits. */
  readonly permits?: number | undefined
  /** Set for ports that acquire `inRounds`. */
  readonly caller?: Caller | undefined
}

/** The call that waits for an answer. */
export interface Caller {
  /** By when it wants the answer, on the store's clock. */
  readonly waitsUntil: number
  /** Aborts when it waits no longer, whatever for: what is asked for then is given back. */
  readonly left: AbortSignal
  /** To be called with what will be the answer unless something comes of asking on: should the time be up before, it is. */
  readonly hears: (reply: BusyReply) => void
}

export type AcquireReply =
  | GrantedReply
  | BusyReply
  /** The owner was to hold it already, and does not. */
  | { readonly outcome: 'lost' }

export interface BusyReply {
  readonly outcome: 'busy'
  /** Infinity where the holder's lease never ends. */
  readonly remainingMs: number
  readonly holder: Owner | undefined
  /** After how long to ask again, although no lease may have ended and nothing have been announced by then. */
  readonly againMs?: number
}

export interface GrantedReply {
  readonly outcome: 'granted'
  readonly fence?: bigint
  /** How many more the store would let in at this moment, where several may hold: that many waiters need not sleep on. */
  readonly room?: number
  /** Where there is no room: how long until the first lease of a holder ends. */
  readonly fullForMs?: number
  /**
   * Where the store granted it by itself, before it was asked this time: since when (on the lease clock, never later than it
   * was) and for how long. The lease that was asked for is then still to be set by a renewal.
   */
  readonly granted?: { readonly since: number; readonly leaseMs: number }
}

export interface HandOverRequest extends AcquireRequest {
  /** Who holds it now. */
  readonly from: Owner
}

export interface ReleaseRequest {
  readonly name: string
  readonly owner: Owner
  /** How many holds the owner has, this one included. */
  readonly heldBefore: number
  /** How many permits the hold is for, where the kind has permits. */
  readonly permits?: number | undefined
  /** Whether this release was sent before with its outcome unknown: then a lock that is gone was released by that. */
  readonly repeated: boolean
}

/** Where waiters stand in no line, it may be free again with so many other clients told of it. */
export type ReleaseReply = 'released' | { readonly others: number } | 'still-held' | 'not-owner'

export interface RenewRequest {
  readonly name: string
  readonly owner: Owner
  /** How many permits the hold is for, where the kind has permits. */
  readonly permits?: number | undefined
  readonly leaseMs: number
  /** How long the answer may take, where that is less than any command may: a connection that is silent so long is given up. */
  readonly withinMs?: number | undefined
}

/** What a store tells those that watch. */
export interface News {
  /** The store has granted the lock to this owner, whose call waits in line; its next acquire is answered from what was told. */
  readonly grantedTo?: Owner
  /** Places of this process are gone that it believes to have: granted unheard, or lost. All who have one are to ask again. */
  readonly placesGone?: boolean
  /** The first of this process in line is to ask again after so long: the lock ends sooner than it would look. */
  readonly lookInMs?: number
  /** How many may enter by what happened. */
  readonly room?: number
}

/** A line kept in the store, in which processes wait: first come, first served. A release grants the lock to the next in it. */
export interface StoreLine {
  /** How long a place, and what was granted to it, may outlive the call it was for. */
  readonly placeMs: number
  /** Whether this process hears of grants of that lock already: then a call can join the line with its first question. */
  hears(name: string): boolean
}

/** How a call asks again where no news comes. */
export interface Polls {
  /** How long to pause after so many attempts, given a random number from 0 to 1. */
  pauseMs(attempts: number, random: number): number
}

export interface Watch {
  /** Settles when the store confirms that news will come from now on, or cannot come. */
  readonly confirmed: Promise<void>
  /** Whether news comes already, where that can be told before it is confirmed. */
  readonly inForce?: boolean | undefined
  /** To be called when something has happened that should have been news, and was not: makes sure that news still comes. */
  doubt?(): void
  /** No more news. Safe to call twice. */
  close(): void
}

/** A lock as seen in the store. */
export interface LockState {
  readonly name: string
  /** Who holds it and how often; empty when it is free. */
  readonly owners: ReadonlyArray<{ readonly owner: Owner; readonly holds: number }>
  /** Time left of the lease in milliseconds: 0 when free, Infinity when it never ends. */
  readonly remainingMs: number
}
