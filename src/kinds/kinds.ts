import type { Locker } from '../core/locker.js'
import { ExclusivePolicy } from '../core/queue/exclusive-policy.js'
import type { KindTraits } from '../core/queue/local-queue.js'
import { QueuedPolicy } from '../core/queue/queued-policy.js'
import { SharedPolicy } from '../core/queue/shared-policy.js'
import type { LockPort } from '../port/lock-port.js'
import type { LockKeyspace, StoreSession } from '../port/store.js'
import { joinSides, meetRivals } from './other-kinds.js'

/** What a kind of lock is. Whatever differs between kinds elsewhere follows from this. */
export interface Kind extends KindTraits {
  /** Kinds of one keyspace are one lock in the store, if they have one name. */
  readonly keyspace: LockKeyspace
  /** No owner may take it again: each acquisition stands for itself, for an owner of its own, and no scope for what runs under it. */
  readonly reentrant?: false
  /** An acquisition leaves nothing in the store that a failover could lose. */
  readonly kept?: false
  /** What decides between the calls of one process where each has a place in line, which is not so in most stores. */
  readonly policyPerCall?: KindTraits['policy']
  /** Tells it of the kinds of its keyspace that are in use. The plain lock is told by whichever of them comes. */
  meet?(locker: Locker, others: readonly Locker[]): void
  /** What keeps it, in a store that can. */
  port(session: StoreSession): LockPort | undefined
}

/** The kinds of locks: a row each, a constant each, so that a bundle has those that it uses. A read-write lock counts as two. */

export const lock: Kind = {
  name: 'lock',
  keyspace: 'lock',
  placePer: 'process',
  policy: ExclusivePolicy,
  port: (session) => session.lock,
}

export const fencedLock: Kind = {
  name: 'fenced lock',
  keyspace: 'lock',
  fenced: true,
  placePer: 'process',
  policy: ExclusivePolicy,
  policyPerCall: QueuedPolicy,
  meet: meetRivals,
  port: (session) => session.fencedLock,
}

export const fairLock: Kind = {
  name: 'fair lock',
  keyspace: 'lock',
  placePer: 'call',
  policy: QueuedPolicy,
  meet: meetRivals,
  port: (session) => session.fairLock,
}

/** Its calls poll, as its options say. */
export const spinLock: Kind = {
  name: 'spin lock',
  keyspace: 'lock',
  policy: ExclusivePolicy,
  meet: meetRivals,
  port: (session) => session.spinLock,
}

export const readLock: Kind = {
  name: 'read lock',
  keyspace: 'read-write',
  shared: true,
  fenced: true,
  placePer: 'call',
  policy: QueuedPolicy,
  meet: joinSides,
  port: (session) => session.readWriteLock?.read,
}

export const writeLock: Kind = {
  name: 'write lock',
  keyspace: 'read-write',
  fenced: true,
  placePer: 'call',
  policy: QueuedPolicy,
  meet: joinSides,
  port: (session) => session.readWriteLock?.write,
}

export const semaphore: Kind = {
  name: 'semaphore',
  keyspace: 'semaphore',
  shared: true,
  policy: SharedPolicy,
  policyPerCall: QueuedPolicy,
  reentrant: false,
  port: (session) => session.semaphore,
}

export const permitExpirableSemaphore: Kind = {
  name: 'permit-expirable semaphore',
  keyspace: 'permits',
  shared: true,
  policy: SharedPolicy,
  policyPerCall: QueuedPolicy,
  reentrant: false,
  port: (session) => session.permitExpirableSemaphore,
}

export const countDownLatch: Kind = {
  name: 'count-down latch',
  asks: 'await',
  keyspace: 'latch',
  shared: true,
  policy: SharedPolicy,
  reentrant: false,
  kept: false,
  port: (session) => session.countDownLatch,
}
