import type { Lock } from './lock.js'

/**
 * A lock that many owners may hold to read, or one to write. First come, first served: a reader that comes after a waiting writer waits
 * behind it, so neither starves. A writer may read as well, and keep reading after it has released the write lock; a reader cannot
 * write before it has released the read lock ({@link LockUpgradeError}).
 */
export class ReadWriteLock {
  /** The lock's name. */
  readonly name: string
  readonly #read: Lock
  readonly #write: Lock

  /** @internal */
  constructor(name: string, read: Lock, write: Lock) {
    this.name = name
    this.#read = read
    this.#write = write
  }

  /** The lock for readers: any number of owners hold it at a time, while no other owner writes. */
  readLock(): Lock {
    return this.#read
  }

  /** The lock for writers: one owner holds it, while no other owner reads or writes. */
  writeLock(): Lock {
    return this.#write
  }
}
