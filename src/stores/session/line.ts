/** How an entry has the lock when its turn comes: alone, or beside others that read. */
export type Mode = 'lock' | 'write' | 'read'

export interface EntryWatch {
  /** The caller closes it in any case, also after it has called back. */
  close(): void
}

/** An entry in line. */
export interface Entry {
  /** Another program's may have any. */
  readonly key: string
  readonly mode: Mode
  /** Grows with every entry of that lock that there ever was. */
  readonly order: bigint
  readonly within?: bigint | undefined
  /** How many permits it is for, where there are permits. */
  readonly permits?: number | undefined
  /** Whether its client may keep the lock beyond its release, and hears of others (`StandRequest.keeps`). */
  readonly keeps?: boolean | undefined
  /**
   * Its token: etcd's create revision, ZooKeeper's czxid. A link leaves it undefined if reading it takes another request; never for an own entry
   * in `stand`, nor for the first in `read`.
   */
  readonly fence: bigint | undefined
  /** The longest that it can last without a renewal, as far as the link knows without another request. */
  readonly remainingMs: number
}

/** The entries of one lock, by `order`. */
export type Line = readonly Entry[]
