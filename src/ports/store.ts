import type { Clock } from '../time/clock.js'
import type { Schedule } from '../time/schedule.js'
import type { FencedPort } from './fenced-port.js'
import type { GuardedPort } from './guarded-port.js'
import type {
  CountDownLatchPort,
  PermitExpirableSemaphorePort,
  ReadWritePorts,
  SemaphorePort,
  ValuesPort,
} from './kind-ports.js'
import type { LockPort } from './lock-port.js'

/**
 * The port between the lock and where it is kept. Everything above it (queue, waiting, watchdog, reentry by ancestry) is the
 * same for every store; everything below is one store's business. It fits a hash with pub/sub (Redis), and is meant to fit a
 * queue of ephemeral entries (etcd, ZooKeeper), a row (SQL) and compare-and-set without notification (memcached, which would
 * answer `watch` with a watch that never has news).
 */
export interface Store {
  /** @internal Opens what this client needs (connections, say). Whoever opens a session closes it; it closes nothing else. */
  open(settings: StoreSettings): StoreSession
  /** The clock that locks in this store live by; the system's where absent. Tests put a virtual one here. */
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
  readonly fenceRetentionMs?: number | undefined
  /** How many replicas must have what is granted, and how long they have to say so; undefined: that is not asked. */
  readonly replicas?: { readonly replicas: number; readonly timeoutMs: number } | undefined
  /** Every command is answered or rejected within this time (rule C3). */
  readonly commandTimeoutMs: number
  /** Trouble that belongs to no call. */
  readonly onError: (error: unknown) => void
  /** Renewals are wanted in a thread of its own. A store that has none leaves {@link LockPort.thread} out. */
  readonly thread?: LeaseThreadSettings | undefined
}

export interface LeaseThreadSettings {
  /** The lease that each renewal sets. */
  readonly leaseMs: number
  readonly quarantineMs: number
  /** How long a main thread that is not seen keeps what it holds. */
  readonly maxBlockedMs: number
}

/** One client's dealings with a store: one port for each kind of lock. A store that cannot keep a kind leaves it out. */
export interface StoreSession {
  readonly lock: LockPort
  /** The same lock for those that stand in no line and hear of every release; {@link lock} where absent. */
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
  /** One of its ports, whose grants count once the replicas wanted have them; set in stores that can ask for that. */
  confirming?(portOf: (session: StoreSession) => LockPort | undefined): LockPort | undefined
  /** How often its connection has broken: what was known of the server before need not be true after. */
  readonly breaks?: number
  /** Which process the server is, where there is one. */
  identity?(): Promise<ServerIdentity>
  /** What is on its way rejects. Does not wait for any server. */
  close(): Promise<void>
}

/** A server process: another one after each restart. */
export interface ServerIdentity {
  readonly runId: string
  /** How long it has run at the least. */
  readonly uptimeMs: number
}
