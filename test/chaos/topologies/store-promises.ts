import { firstLeaseMs } from '../../../src/port/lease.js'
import { type StoreKind, type StoreTraits, traitsOf } from '../../../src/port/store-traits.js'
import { memcachedTraits } from '../../../src/stores/memcached/store.js'
import { mysql } from '../../../src/stores/mysql/index.js'
import { quorumTraits } from '../../../src/stores/quorum/store.js'
import { sessionTraits } from '../../../src/stores/session/session.js'
import { zookeeper } from '../../../src/stores/zookeeper/index.js'
import { type Kind, kinds } from '../program/kinds.js'
import { databaseTopologies, type TopologyName } from './topology.js'

export interface StorePromises {
  readonly kinds: readonly Kind[]
  /** Whether processes stand in the store's line; else calls ask again and again. */
  readonly lined: boolean
  /** Whether the workers are the store: one that stands still may have what the others need to be answered. */
  readonly inWorkers?: boolean
  /** Whether tokens grow whatever is lost. */
  readonly tokensOutliveLosses: boolean
  /** What a grant may take on a busy machine: a call that gives it less time is asked nothing. */
  readonly slowMs: number
  /** How long a lock may last whose holder cannot give it back. */
  lastsMs(terms: LeaseTerms): number
  /** How long what is granted in line to a process that has stopped, or died, keeps the others out. */
  stoppedMs(terms: LeaseTerms): number
  /** How long after its process has stopped a lock with an explicit lease stands at the least, however long that lease is. */
  hungMs(terms: Pick<LeaseTerms, 'watchdogMs'>): number
}

export interface LeaseTerms {
  readonly watchdogMs: number
  /** The explicit one, where it has one. */
  readonly leaseMs?: number | undefined
  readonly elects: boolean
}

const storeKinds: Readonly<Record<Kind, StoreKind>> = {
  lock: 'lock',
  multi: 'lock',
  striped: 'lock',
  fenced: 'fencedLock',
  fair: 'fairLock',
  spin: 'spinLock',
  'read-write': 'readWriteLock',
  semaphore: 'semaphore',
  permits: 'permitExpirableSemaphore',
  latch: 'countDownLatch',
  'compute-once': 'computeOnce',
}

function kindsIn(traits: Partial<StoreTraits> | undefined): Kind[] {
  const kept = traitsOf(traits).kinds
  return kinds.filter((kind) => kept.includes(storeKinds[kind]))
}

function leaseOf({ leaseMs, watchdogMs }: LeaseTerms): number {
  return leaseMs ?? watchdogMs
}

const redis: StorePromises = {
  kinds,
  lined: true,
  tokensOutliveLosses: false,
  slowMs: 0,
  lastsMs: leaseOf,
  stoppedMs: ({ watchdogMs }) => firstLeaseMs(watchdogMs),
  hungMs: () => Infinity,
}

/** Where locks are rows, tokens follow the server's clock. */
const rows: StorePromises = { ...redis, tokensOutliveLosses: true }
const polledRows: StorePromises = { ...rows, lined: false }
const mysqlRows: StorePromises = {
  ...polledRows,
  kinds: kindsIn(mysql({ connect: () => Promise.reject(new Error('nothing is asked')) }).traits),
}

/** Whoever stands in line does so until its session has ended. */
function session(
  traits: Partial<StoreTraits> | undefined,
  sessionMs: StorePromises['lastsMs'],
): StorePromises {
  return {
    kinds: kindsIn(traits),
    lined: true,
    tokensOutliveLosses: true,
    // Several requests, each written by a majority.
    slowMs: 300,
    lastsMs: sessionMs,
    stoppedMs: sessionMs,
    hungMs: () => Infinity,
  }
}

/** Whole seconds, two at least, of a session as of an explicit lease; a new leader counts them anew. */
function etcdSessionMs(terms: LeaseTerms): number {
  const sessionMs = 1_000 * Math.max(2, Math.ceil((leaseOf(terms) + 2) / 990))
  // What has ended goes at the next look, twice a second.
  return (terms.elects ? 2 : 1) * sessionMs + 1_000
}

/** Whatever the lease is. A quarter of a session is for what the leader may not know; a new leader counts it anew. */
function zooKeeperSessionMs({ watchdogMs, elects }: LeaseTerms): number {
  const sessionMs = Math.ceil(watchdogMs / 0.75)
  return (elects ? 2 : 1) * sessionMs + 500
}

const different: Partial<Record<TopologyName, StorePromises>> = {
  quorum: { ...redis, kinds: kindsIn(quorumTraits), lined: false },
  // A latch whose opening is lost stays closed, and no lease ends.
  'postgres-async': { ...rows, kinds: kinds.filter((kind) => kind !== 'latch') },
  'postgres-pooler': polledRows,
  sqlite: { ...rows, inWorkers: true },
  mysql: mysqlRows,
  mariadb: mysqlRows,
  etcd: session(sessionTraits, etcdSessionMs),
  zookeeper: {
    ...session(zookeeper({ servers: 'any' }).traits, zooKeeperSessionMs),
    // A session surely lives for three quarters of its time after a keep-alive, and there is one each quarter.
    hungMs: ({ watchdogMs }) => (watchdogMs * 2) / 3,
  },
  // What has ended goes up to three seconds later.
  memcached: {
    ...redis,
    kinds: kindsIn(memcachedTraits),
    lined: false,
    lastsMs: (terms) => leaseOf(terms) + 3_000,
  },
}

export function promisesOf(name: TopologyName): StorePromises {
  return different[name] ?? (databaseTopologies.some((each) => each === name) ? rows : redis)
}

/** Of those kinds, the ones that are kept there. */
export function kindsAt(name: TopologyName, wanted: readonly Kind[]): Kind[] {
  const { kinds: kept } = promisesOf(name)
  return wanted.filter((kind) => kept.includes(kind))
}
