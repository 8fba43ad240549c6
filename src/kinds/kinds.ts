import type { Kind } from '../ports/kind.js'

/** The kinds of locks: a row each, a constant each, so that a bundle has those that it uses. A read-write lock counts as two. */

export const lock: Kind = {
  name: 'lock',
  keyspace: 'lock',
  shared: false,
  fenced: false,
  placePer: 'process',
  reentrant: true,
  kept: true,
  port: (session) => session.lock,
}

export const fencedLock: Kind = {
  name: 'fenced lock',
  keyspace: 'lock',
  shared: false,
  fenced: true,
  placePer: 'process',
  reentrant: true,
  kept: true,
  port: (session) => session.fencedLock,
}

export const fairLock: Kind = {
  name: 'fair lock',
  keyspace: 'lock',
  shared: false,
  fenced: false,
  placePer: 'call',
  reentrant: true,
  kept: true,
  port: (session) => session.fairLock,
}

/** Its calls poll, as its options say. */
export const spinLock: Kind = {
  name: 'spin lock',
  keyspace: 'lock',
  shared: false,
  fenced: false,
  placePer: undefined,
  reentrant: true,
  kept: true,
  port: (session) => session.spinLock,
}

export const readLock: Kind = {
  name: 'read lock',
  keyspace: 'read-write',
  shared: true,
  fenced: true,
  placePer: 'call',
  reentrant: true,
  kept: true,
  port: (session) => session.readWriteLock?.read,
}

export const writeLock: Kind = {
  name: 'write lock',
  keyspace: 'read-write',
  shared: false,
  fenced: true,
  placePer: 'call',
  reentrant: true,
  kept: true,
  port: (session) => session.readWriteLock?.write,
}

export const semaphore: Kind = {
  name: 'semaphore',
  keyspace: 'semaphore',
  shared: true,
  fenced: false,
  placePer: undefined,
  reentrant: false,
  kept: true,
  port: (session) => session.semaphore,
}

export const permitExpirableSemaphore: Kind = {
  name: 'permit-expirable semaphore',
  keyspace: 'permits',
  shared: true,
  fenced: false,
  placePer: undefined,
  reentrant: false,
  kept: true,
  port: (session) => session.permitExpirableSemaphore,
}

export const countDownLatch: Kind = {
  name: 'count-down latch',
  keyspace: 'latch',
  shared: true,
  fenced: false,
  placePer: undefined,
  reentrant: false,
  kept: false,
  port: (session) => session.countDownLatch,
}
