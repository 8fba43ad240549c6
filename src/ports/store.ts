import type { LeaseThread } from '../core/lease/lease-thread.js'
import type { Owner } from '../identity/owner.js'
import type { Clock } from '../time/clock.js'
import type { Schedule } from '../time/schedule.js'
import type { FencedPort } from './fenced-port.js'
import type { GuardedPort } from './guarded-port.js'
import type {
  BatchPort,
  CountDownLatchPort,
  PermitExpirableSemaphorePort,
  ReadWritePorts,
  SemaphorePort,
  ValuesPort,
} from './kind-ports.js'

/**
 * The port between the lock and where it is kept. Everything above it (queue, waiting, watchdog, reentry by ancestry) is the
 * same for every store; everything below is one store's business. It fits a hash with pub/sub (Redis), and is meant to fit a
 * queue of ephemeral entries (etcd, ZooKeeper), a row (SQL) and compare-and-set without notification (memcached, which would
 * answer `watch` with a watch that never has news).
 */
export interface Store {
  /** @internal Opens what this client needs (connections, say). The caller that opens a session closes it; it closes nothing else. */
  open(settings: StoreSettings): StoreSession
  /** The clock for locks in this store; absent: the system's. Tests put a virtual one here. */
  readonly clock?: Clock
}

export interface StoreSettings {
  /** The client's one timer, for the store's deadlines. */
  readonly schedule: Schedule
  /** The first half of every owner of this client. */
  readonly clientId: string
  /** The lease that the watchdog asks for. */
  readonly watchdogLeaseMs: number
  /** How long a lock stays unavailable after a loss; part of the lease that is asked for. */
  readonly quarantineMs: number
  /** How long the counter of a fenced lock is kept after its last token; undefined: for ever. */
  readonly fenceRetentionMs: number | undefined
  /** Acknowledgements that renewals of {@link StoreSession.acknowledging} wait for; undefined: none are wanted. */
  readonly replicas?: { readonly replicas: number; readonly timeoutMs: number } | undefined
  /** Every command is answered or rejected within this time (rule C3). */
  readonly commandTimeoutMs: number
  /** Called with failures that belong to no call. */
  readonly onError: (error: unknown) => void
  /** Asks for renewals in a separate thread. A store without one leaves {@link LockPort.thread} out. */
  readonly thread?: LeaseThreadSettings | undefined
}

export interface LeaseThreadSettings {
  /** The lease that each renewal sets. */
  readonly leaseMs: number
  readonly quarantineMs: number
  /** How long a main thread that stays blocked keeps its locks. */
  readonly maxBlockedMs: number
}

/** One client's access to a store: one port for each kind of lock. A store leaves out the kinds that it cannot keep. */
export interface StoreSession {
  readonly lock: LockPort
  /** The same lock for waiters that stand in no line and hear every release; absent: {@link lock}. */
  readonly announcedLock?: LockPort
  readonly fencedLock?: FencedPort
  readonly fairLock?: LockPort
  readonly spinLock?: LockPort
  readonly readWriteLock?: ReadWritePorts
  readonly semaphore?: SemaphorePort
  readonly permitExpirableSemaphore?: PermitExpirableSemaphorePort
  readonly countDownLatch?: CountDownLatchPort
  readonly values?: ValuesPort
  readonly guardedValues?: GuardedPort
  /** The same locks on separate connections; a renewal is answered when enough replicas have it. */
  readonly acknowledging?: StoreSession | undefined
  /** How often its connection has broken: afterwards, knowledge about the server may be out of date. */
  readonly breaks?: number
  /** The server's process, if there is one. */
  identity?(): Promise<ServerIdentity>
  /** Rejects commands that are under way. Does not wait for any server. */
  close(): Promise<void>
}

/** A server process: another one after each restart. */
export interface ServerIdentity {
  readonly runId: string
  /** How long it has run at the least. */
  readonly uptimeMs: number
}

/**
 * What a kind of lock must be able to do. Failures are {@link StoreError}s; a `transient` one leaves the outcome unknown, and
 * the same request may then be sent again: every request names the hold count it starts from, so that a store recognises a
 * request it has already carried out (rule X1).
 */
export interface LockPort {
  /** Whether a watch that was sent before an acquire is in force when that acquire runs, confirmed or not (rule C2). */
  readonly watchesInOrder: boolean

  /** Whether each tenure gets a new fencing token: then the lock changes hands in the store only. */
  readonly fenced: boolean

  /** Whether several owners may hold it at once. Then each has its own tenure, and none is handed over in memory. */
  readonly shared?: boolean | undefined

  /** Set where the store keeps the line of waiters. */
  readonly line?: StoreLine | undefined

  /** Set where one acquire may take several rounds: then the request says for how long its caller waits. */
  readonly inRounds?: boolean | undefined

  /** Set where several locks can be asked for with one command. */
  readonly together?: BatchPort | undefined

  /** Renews leases in a separate thread; absent if that is not wanted or not possible. */
  readonly thread?: LeaseThread | undefined

  /** Takes the lock, or one more hold of it, or returns how long the holder has left. */
  acquire(request: AcquireRequest): Promise<AcquireReply>

  /** Undoes an acquire whose caller has left, whether or not it was carried out. */
  abandon(request: AcquireRequest): Promise<void>

  /** Gives a lock that `from` holds to another owner, which then has one hold, with its own lease. Announces nothing. */
  handOver(request: HandOverRequest): Promise<AcquireReply>

  /** Gives one hold back. The last one frees the lock and announces it. */
  release(request: ReleaseRequest): Promise<ReleaseReply>

  /** Starts the leases anew: one answer for each, none waiting for another. `false`: that owner does not hold it. */
  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[]

  /** Calls back on each release of the lock, and, without particulars, whenever it may have missed one. */
  watch(name: string, onNews: (news?: News) => void): Watch

  /** The lock as the store has it now. */
  inspect(name: string): Promise<LockState>

  /** How many clients watch for this lock's release. */
  countWatchers(name: string): Promise<number>

  /** Frees the lock whatever its owner, and announces it. Returns whether it was held. */
  forceUnlock(name: string): Promise<boolean>

  /** The locks whose names match a glob pattern. */
  list(pattern: string): AsyncIterable<LockState>
}

export interface AcquireRequest {
  readonly name: string
  readonly owner: Owner
  /** How many holds the owner has before this one. */
  readonly heldBefore: number
  readonly leaseMs: number
  /** Whether its caller waits if the lock is busy and receives messages about grants: then a store with a line lets it join. */
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
  /** Aborts when the call stops waiting for any reason: a later grant is given back. */
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
  /** After how long to ask again, even without an announcement or an ended lease. */
  readonly againMs?: number
}

export interface GrantedReply {
  readonly outcome: 'granted'
  readonly fence?: bigint
  /** If several may hold: how many more the store would let in now; so many waiters need not sleep. */
  readonly room?: number
  /** If there is no room: how long until the first lease of a holder ends. */
  readonly fullForMs?: number
  /**
   * If the store granted it in line, before this request: since when (on the lease clock, never too late) and for how long. A renewal
   * must then set the lease of the request.
   */
  readonly granted?: { readonly since: number; readonly leaseMs: number }
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
  /** Whether this release was sent before with an unknown outcome: if the lock is gone, that one released it. */
  readonly repeated: boolean
}

/** Without a line: it may be free again, and so many other clients were told. */
export type ReleaseReply = 'released' | { readonly others: number } | 'still-held' | 'not-owner'

export interface RenewRequest {
  readonly name: string
  readonly owner: Owner
  /** How many permits the hold is for, where the kind has permits. */
  readonly permits?: number | undefined
  readonly leaseMs: number
  /** How long the answer may take, if less than for other commands: a connection that is silent for so long is abandoned. */
  readonly withinMs?: number | undefined
}

/** A store's message to a watch. */
export interface News {
  /** The store has granted the lock to this owner, whose call waits in line; this message answers its next acquire. */
  readonly grantedTo?: Owner
  /** Places that this process believes to have are gone: granted unheard, or lost. All calls with a place must ask again. */
  readonly placesGone?: boolean
  /** The first of this process in line must ask again after so long: the lock ends sooner than it would look. */
  readonly lookInMs?: number
  /** How many may enter now. */
  readonly room?: number
}

/** A line in the store, in which processes wait: first come, first served. A release grants the lock to the next in line. */
export interface StoreLine {
  /** Whether each call has its own place; else the calls of one process share a place. */
  readonly placePerCall: boolean
  /** How long a place, and a grant to it, may outlive its call. */
  readonly placeMs: number
  /** Whether this process already receives messages about grants of that lock: then a call can join with its first request. */
  hears(name: string): boolean
}

/** How a call asks again if there are no messages. */
export interface Polls {
  /** How long to pause after so many attempts, given a random number from 0 to 1. */
  pauseMs(attempts: number, random: number): number
}

export interface Watch {
  /** Settles when the store confirms that messages come from now on, or cannot come. */
  readonly confirmed: Promise<void>
  /** Whether messages already come, if that is known before the confirmation. */
  readonly inForce?: boolean | undefined
  /** Call it after a change without the message that should have come: checks that messages still come. */
  doubt?(): void
  /** Ends the messages. Safe to call twice. */
  close(): void
}

/** A lock as seen in the store. */
export interface LockState {
  readonly name: string
  /** The owners and their hold counts; empty when it is free. */
  readonly owners: ReadonlyArray<{ readonly owner: Owner; readonly holds: number }>
  /** Time left of the lease in milliseconds: 0 when free, Infinity when it never ends. */
  readonly remainingMs: number
}
