import type { LossReason } from '../base/errors/errors.js'
import type { Owner } from '../base/identity/owner.js'
import type { Clock } from '../base/time/clock.js'
import type { Schedule } from '../base/time/schedule.js'
import type { EdgesPort } from './edges-port.js'
import type {
  CountDownLatchPort,
  FencedPort,
  GuardedPort,
  PermitExpirableSemaphorePort,
  ReadWritePorts,
  SemaphorePort,
  ValuesPort,
} from './kind-ports.js'
import type { LockPort } from './lock-port.js'
import { type StoreKind, type StoreTraits, storeKinds } from './store-traits.js'

/** The version of the port between Holdfast and stores: it grows when a store written for the version before would break a promise. */
export const PORT_VERSION = 1

/**
 * The port between the lock and its store. Everything above it (queue, waiting, watchdog, reentry by ancestry) is the same
 * for every store; everything below is one store's business. It fits a hash with pub/sub (Redis), rows (SQL), lines of
 * entries that last as long as a session (etcd, ZooKeeper), and compare-and-set without notification. See docs/writing-a-store.md.
 */
export interface Store {
  /**
   * The version of this port that the store implements, `PORT_VERSION` of holdfast/store; absent: the present one. A client refuses a store
   * of another version.
   */
  readonly portVersion?: number
  /** Opens what one client needs (connections, say). The caller that opens a session closes it; it closes nothing else. Sends nothing. */
  open(settings: StoreSettings): StoreSession
  /** The clock for locks in this store; absent: the system's. Tests put a virtual one here. */
  readonly clock?: Clock
  /** What it can do. A missing trait is as with Redis. */
  readonly traits?: Partial<StoreTraits>
}

export interface StoreSettings {
  /** The client's one timer, for the store's deadlines. */
  readonly schedule: Schedule
  /** The first half of every owner of this client. */
  readonly clientId: string
  /** The lease that the watchdog asks for. */
  readonly watchdogLeaseMs: number
  /** How long a lock stays unavailable after a loss; the lease in each request includes it. */
  readonly quarantineMs: number
  /** How long the store keeps the counter of a fenced lock after its last token; undefined: for ever. */
  readonly fenceRetentionMs?: number | undefined
  /** How many replicas must have a grant, and how long they have to say so; undefined: nobody asks them. */
  readonly replicas?: { readonly replicas: number; readonly timeoutMs: number } | undefined
  /** Every command settles within this time (rule C3). */
  readonly commandTimeoutMs: number
  /** Called with failures that belong to no call. */
  readonly onError: (error: unknown) => void
  /** Call it when the store has let go of a lock by itself: Holdfast tells the holder at once. */
  readonly onLost?: (loss: StoreLoss) => void
  /** Call it when the connection is gone and the locks are not yet: Holdfast tells holders whose lease the watchdog renews that it may end. */
  readonly onSuspended?: (cause: unknown) => void
  /** Asks for renewals in a separate thread. A store without one leaves `LockPort.thread` out. */
  readonly thread?: LeaseThreadSettings | undefined
}

/** Locks of different keyspaces have nothing to do with each other, whatever their names. */
export type LockKeyspace = 'lock' | 'read-write' | 'semaphore' | 'permits' | 'latch'

/** A lock of this client that it no longer has. */
export interface StoreLoss {
  readonly keyspace: LockKeyspace
  readonly name: string
  /** As whom the store knew the holder. */
  readonly owner: Owner
  readonly reason: LossReason
  readonly cause?: unknown
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
  /** The same lock for waiters that stand in no line and hear every release; absent: `lock`. */
  readonly announcedLock?: LockPort
  readonly fencedLock?: FencedPort
  readonly fairLock?: LockPort | undefined
  readonly spinLock?: LockPort
  readonly readWriteLock?: ReadWritePorts | undefined
  readonly semaphore?: SemaphorePort
  readonly permitExpirableSemaphore?: PermitExpirableSemaphorePort
  readonly countDownLatch?: CountDownLatchPort
  readonly values?: ValuesPort
  readonly guardedValues?: GuardedPort
  /** Keeps edges, by which clients find deadlocks; absent: they find none. */
  readonly edges?: EdgesPort | undefined
  /** One of its ports, whose grants count when enough replicas have them; set in stores that can ask for that. */
  confirming?(portOf: (session: StoreSession) => LockPort | undefined): LockPort | undefined
  /** How often its connection has broken: afterwards, knowledge about the server may be out of date. */
  readonly breaks?: number
  /** The server's process, if there is one. */
  identity?(): Promise<ServerIdentity>
  /** Rejects commands that are under way. Does not wait for any server. */
  close(): Promise<void>
}

/** The kinds that a session keeps. */
export function keptIn(session: StoreSession): readonly StoreKind[] {
  return storeKinds.filter((kind) => {
    if (kind === 'computeOnce') return session.values
    return kind === 'guardedValue' ? session.guardedValues : session[kind]
  })
}

/** A server process: another one after each restart. */
export interface ServerIdentity {
  readonly runId: string
  /** How long it has run at the least. */
  readonly uptimeMs: number
}
