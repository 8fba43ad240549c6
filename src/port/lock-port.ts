import type { Owner } from '../base/identity/owner.js'
import type { LeaseThread } from './lease-thread.js'

/**
 * What a kind of lock must be able to do. Failures are `StoreError`s; a `transient` one leaves the outcome unknown, and the caller may then
 * repeat the request: every request names the hold count it starts from, so that a store recognises a request that it has already carried
 * out (rule X1).
 */
export interface LockPort {
  /** Whether a watch sent before an acquire is in force when that acquire runs, confirmed or not (rule C2). */
  readonly watchesInOrder: boolean

  /** Set where the store keeps the line of waiters. */
  readonly line?: StoreLine | undefined

  /**
   * Set if the store announces nothing: Holdfast then never calls `watch`, and a waiting call asks again and again, after these pauses
   * unless it has its own.
   */
  readonly polls?: Polls | undefined

  /** Set if a place in line belongs to one tenure and cannot pass to another: each call then has its own place, whatever the kind says. */
  readonly placePer?: 'call' | undefined

  /** How long a client lets others go first that heard of its release and stand in no line; absent: two round trips nearby. */
  readonly asideMs?: number

  /** Set if no hold can pass to another client: a lock ends with its client's connection or session, or each place belongs to one owner. */
  readonly bound?: true | undefined

  /** Set where one acquire may take several rounds: then the request says for how long its caller waits. */
  readonly inRounds?: boolean | undefined

  /** Set where a part of the store may still have a lost lock for its owner: that part keeps others out until the owner gives it back. */
  readonly inParts?: true | undefined

  /** Changes the ticket of a client that waits for that lock, see `AcquireRequest.ticket`. Absent where the store keeps none. */
  readonly setTicket?: ((name: string, client: string, ticket: number) => Promise<unknown>) | undefined

  /** Set where one command can ask for several locks. */
  readonly together?: BatchPort | undefined

  /** Renews leases in a separate thread; absent without `watchdogThread`, or where the store has no such thread. */
  readonly thread?: LeaseThread | undefined

  /** Takes the lock, or one more hold of it, or returns how long the holder has left. */
  acquire(request: AcquireRequest): Promise<AcquireReply>

  /** Undoes an acquire whose caller has left, whether or not the store carried it out. */
  abandon(request: AcquireRequest): Promise<void>

  /** Gives a lock that `from` holds to another owner, which then has one hold, with its own lease. Announces nothing. */
  handOver(request: HandOverRequest): Promise<AcquireReply>

  /** Gives one hold back. The last one frees the lock and announces it. */
  release(request: ReleaseRequest): Promise<ReleaseReply>

  /** Starts the leases anew: one answer for each, none waiting for another. */
  renew(requests: readonly RenewRequest[]): readonly Promise<Renewed>[]

  /**
   * Ties the lock of that owner to an open transaction of the application: no other owner gets it before the transaction ends, even after
   * a release or the end of the lease. False: that owner does not hold it. Absent where the store is in no database with transactions.
   */
  readonly tie?: ((name: string, owner: Owner, tx: unknown) => Promise<boolean>) | undefined

  /** Calls back on each release of the lock, and, without particulars, whenever it may have missed one. */
  watch(name: string, onNews: (news?: News) => void): Watch

  /**
   * The lock as the store has it now.
   *
   * @param asks whether the store tells the holder's process, if the lock `lingers` there, that others ask for it
   */
  inspect(name: string, asks?: boolean): Promise<LockSeen>

  /** How many clients watch for this lock's release; undefined if the store does not know. */
  countWatchers(name: string): Promise<number | undefined>

  /** Frees the lock whatever its owner, and announces that. Returns whether anybody held it. */
  forceUnlock(name: string): Promise<boolean>

  /** The locks whose names match a glob pattern. */
  list(pattern: string): AsyncIterable<LockSeen>
}

/**
 * Asks for several locks with one command; all of one place, and none of them held by its request's owner. One answer for each: a free one
 * that the command did not take is busy for 0 ms.
 */
export interface BatchPort {
  /** One command takes only locks of one place. All clients agree on a lock's place, so it gives one order. */
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
  /**
   * Whether its caller waits if the lock is busy, and receives messages or polls: then a store with a line lets it join, and one without
   * may count it among those that a release tells of. Absent: no.
   */
  readonly waits?: boolean
  /** Whether the process would keep the lock after its release, and hears when others ask for it (`StoreLine.hearAsks`). */
  readonly lingers?: boolean
  /** How many permits it is for, where the kind has permits. */
  readonly permits?: number | undefined
  /**
   * Set where the store has one vote of several for the lock: while nobody has the vote, the store prefers the waiting client with the least
   * ticket. It keeps the ticket of a request that waits; 0: the next one, unless the client has one. `abandon` takes the client's ticket
   * back, unless the request names it; a last release always does.
   */
  readonly ticket?: number
  /** Set for ports that acquire `inRounds`. */
  readonly caller?: Caller | undefined
}

/** The call that waits for an answer. */
export interface Caller {
  /** Since when it waits, on the store's clock; absent: it has just begun. */
  readonly since?: number
  /** By when it wants the answer, on the store's clock. */
  readonly waitsUntil: number
  /** Aborts when the call stops waiting for any reason: the core then gives back a later grant. */
  readonly left: AbortSignal
  /** The port calls it with the answer so far, which counts if the call's time is up before the port has finished asking. */
  readonly hears: (reply: BusyReply) => void
}

export type AcquireReply =
  | GrantedReply
  | BusyReply
  /** The owner should hold it already, and does not. */
  | { readonly outcome: 'lost' }

export interface BusyReply {
  readonly outcome: 'busy'
  /** Infinity if the holder's lease never ends. */
  readonly remainingMs: number
  readonly holder: Owner | undefined
  /** Since when it has the lock, in milliseconds since 1970 by the store's clock, where the store knows that. */
  readonly heldSince?: number | undefined
  /** After how long to ask again, even without an announcement or an ended lease. */
  readonly againMs?: number
  /** The holder's process may have nobody inside. The store has told it that others ask for the lock. */
  readonly lingers?: boolean
  /** The ticket that the client has now; absent: none. */
  readonly ticket?: number
}

export interface GrantedReply {
  readonly outcome: 'granted'
  readonly fence?: bigint
  /** If several may hold: how many more the store would let in now; so many waiters need not sleep. */
  readonly room?: number
  /** If there is no room: how long until the first lease of a holder ends. */
  readonly fullForMs?: number
  /**
   * If the store granted it in line, before this request, or what it is of ends before its lease: since when (on the lease clock, never too
   * late) and for how long. A renewal must then set the lease of the request, as far as there is time.
   */
  readonly granted?: { readonly since: number; readonly leaseMs: number }
  /** Else: since when the lease of the request runs (on the lease clock, never too late), if not since it was made. */
  readonly since?: number
  /** The process may keep the lock after its release until it hears that others ask for it, for as long as the lease of the request. */
  readonly lingers?: boolean
}

export interface HandOverRequest extends AcquireRequest {
  /** The current holder. */
  readonly from: Owner
}

export interface ReleaseRequest {
  readonly name: string
  readonly owner: Owner
  /** How many holds the owner has, this one included. */
  readonly heldBefore: number
  /** How many permits the hold is for, where the kind has permits. */
  readonly permits?: number | undefined
  /** Whether an earlier copy of this release has an unknown outcome: if the lock is gone, that copy released it. */
  readonly repeated: boolean
}

/** `others`, without a line: the lock may be free, and the store has told so many other clients. */
export type ReleaseReply = 'released' | { readonly others: number } | 'still-held' | 'not-owner'

export interface RenewRequest {
  readonly name: string
  readonly owner: Owner
  /** How many permits the hold is for, where the kind has permits. */
  readonly permits?: number | undefined
  readonly leaseMs: number
  /** How long the answer may take, if less than for other commands: Holdfast abandons a connection that is silent for longer. */
  readonly withinMs?: number | undefined
}

/** `false`: that owner does not hold it. A number: renewed for so many milliseconds of its lease, because what it is of ends then. */
export type Renewed = boolean | number

/** A store's message to a watch. */
export interface News {
  /** The store has granted the lock to this owner, whose call waits in line; this message answers its next acquire. */
  readonly grantedTo?: Owner
  /** The line may have lost places of this process, or granted them unheard. All calls with a place must ask again. */
  readonly placesGone?: boolean
  /** The first of this process in line must ask again after so long: the lock ends sooner than it would look. */
  readonly lookInMs?: number
  /** How many may enter now. */
  readonly room?: number
  /** The lock is free, and it is the turn of that client, by its ticket. */
  readonly turnOf?: string
}

/** A line in the store, in which processes wait: first come, first served. A release grants the lock to the next in line. */
export interface StoreLine {
  /** How long a place, and a grant to it, may outlive its call. */
  readonly placeMs: number
  /** Whether this process already receives messages about grants of that lock: then a call can join with its first request. */
  hears(name: string): boolean
  /**
   * Calls back when others ask for a lock that this process has with `lingers`, when somebody frees it by force, and when either may have
   * happened unheard. Absent where a lock ends with its release.
   * @param often whether the process comes back within moments, so that the subscription need not outlive the watch for long
   */
  hearAsks?(name: string, onAsk: () => void, often?: boolean): Watch
}

/** How a call asks again if there are no messages. */
export interface Polls {
  /** How long to pause after so many attempts, given a random number from 0 to 1. */
  pauseMs(attempts: number, random: number): number
  /**
   * How long a process that has had the lock for its turn lets others go first, given a random number from 0 to 1: long enough for one of
   * them to ask. Absent: as long as the pause after five attempts.
   */
  asideMs?(random: number): number
}

export interface Watch {
  /** Settles when the store confirms that messages come from now on, or cannot come. */
  readonly confirmed: Promise<void>
  /** Whether messages already come, if the port knows before the confirmation. */
  readonly inForce?: boolean | undefined
  /** Call it after a change without the message that should have come: checks that messages still come. */
  doubt?(): void
  /** Ends the messages. Safe to call twice. */
  close(): void
}

/** One that has a lock, as seen in the store. */
export interface OwnerState {
  readonly owner: Owner
  readonly holds: number
  /** Its client's label: the client that looks reads it in the owner, a store need not give it. */
  readonly label?: string
  /** Since when it has the lock, in milliseconds since 1970 by the store's clock; absent where the store does not know that. */
  readonly heldSince?: number | undefined
}

/** A lock as a port sees it. */
export interface LockSeen extends LockState {
  /** Another process holds the lock, perhaps with nobody inside, and hears when others ask. Absent where no message reaches it. */
  readonly lingers?: boolean
}

/** A lock as seen in the store. */
export interface LockState {
  readonly name: string
  /** The owners and their hold counts; empty when it is free. */
  readonly owners: readonly OwnerState[]
  /** Time left of the lease in milliseconds: 0 when free, Infinity when it never ends. */
  readonly remainingMs: number
  /** Set where the lock is free for this client, which keeps it from other processes for a while (`lingerMs`). */
  readonly lingering?: boolean
}
