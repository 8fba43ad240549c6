import type { Lock } from './lock.js'

/**
 * A lock that many may hold to read, or one to write. First come, first served: a reader that comes after a waiting writer waits
 * behind it, so neither starves. Whoever writes may read as well, and keep reading when it has released the write; whoever reads
 * cannot write before it has released the read ({@link LockUpgradeError}).
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

  /** The lock for those who read: held by any number of owners at a time while nobody else writes. */
  readLock(): Lock {
    return this.#read
  }

  /** The lock for those who write: held by one owner, and nobody else. */
  writeLock(): Lock {
    return this.#write
  }
}
