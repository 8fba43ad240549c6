import type { LockKeyspace } from '../../port/store.js'
import type { Cells } from './cells.js'
import type { Entry, EntryWatch, Line, Mode } from './line.js'
import type { LockName } from './lock-name.js'

/**
 * What a server with sessions does for one client (etcd, ZooKeeper): each member is one request. Entries stand in line under the name of
 * a lock, in the order in which they came. An entry ends with its session, with its own lease, or by a removal. Failures are `StoreError`s;
 * after a transient one the caller may repeat the command.
 */
export interface SessionLink {
  /**
   * Begins a session that lives for at least so long after each keep-alive, by every clock involved. Rejects with a `StoreError` that is
   * not transient if the server keeps none for so long.
   */
  begin(leastMs: number): Promise<SessionGrant>
  /** Starts the session's time anew. False: it has ended. */
  keepAlive(session: string): Promise<boolean>
  /** Ends it, with all its entries but those with a lease of their own. Resolves when it has ended; also if it had before. */
  end(session: string): Promise<void>
  /** Puts an entry in line, unless one of that key stands there already. The line as it is then; undefined: the session has ended. */
  stand(request: StandRequest): Promise<Line | undefined>
  /**
   * Reads the line of that lock. It is at least as new as any earlier answer to any client; with `after`, an entry whose end `watch` has
   * reported, only as new as that end: then a link may save what the rest would cost.
   */
  read(lock: LockName, after?: Entry): Promise<Line>
  /** Removes an entry. False: there was none. */
  remove(lock: LockName, key: string): Promise<boolean>
  /**
   * Calls back once, when the entry is gone or may be; also if it was gone before. `sure`: it is gone, and `LinkListener.gone` has already
   * reported every own entry of that line that went before it. Without `decides` nobody needs `sure`.
   */
  watch(lock: LockName, entry: Entry, onGone: (sure: boolean) => void, decides?: boolean): EntryWatch
  /**
   * Gives an entry a lease of its own from now on, whatever becomes of its session; undefined: it lasts as long as the session. False: it
   * is gone. Absent where entries cannot have one: then only clients end leases, and sessions end with them.
   */
  readonly lease?: ((request: LeaseRequest) => Promise<boolean>) | undefined
  /**
   * Whether it tells of others that come to that line from now on, by `LinkListener.asked`, where an entry stands in it that `keeps`. Absent
   * where it never does.
   */
  hears?(lock: LockName): boolean
  /** Has the client of that entry, which `keeps`, told so, if it is there still. */
  ask?(lock: LockName, entry: Entry): Promise<void>
  /** Values with a version. */
  readonly cells: Cells
  /** The locks of that keyspace in whose lines somebody stands. */
  names(keyspace: LockKeyspace): AsyncIterable<string>
  /** Rejects what is under way. Ends no session. */
  close(): void
}

/** Hears what a link reports of its own accord. */
export interface LinkListener {
  /**
   * A confirmed entry of this client is gone, and this client did not remove it. The link reports that promptly, by whatever way delays no
   * answer.
   */
  gone(lock: LockName, key: string): void
  /** Somebody may want that lock, or may have freed it by force, where an entry of this client stands that `keeps`. */
  asked(lock: LockName): void
  /** The session has ended. */
  ended(session: string, cause?: unknown): void
}

export interface SessionGrant {
  readonly session: string
  /**
   * For how long the session surely lives after the client sent `begin` or a keep-alive, on the client's clock: the server's time less a
   * margin for clocks, and for what the server may have to make good.
   */
  readonly aliveMs: number
}

export interface StandRequest {
  readonly lock: LockName
  readonly session: string
  /** Unlike that of any other entry that there ever was: an owner, a dot, and a number (`keyOf`). */
  readonly key: string
  readonly mode: Mode
  /** The order of the write entry whose owner reads by this one: it counts as if it stood right behind that, even if that has gone. */
  readonly within?: bigint | undefined
  /** How many permits it is for, where there are permits. */
  readonly permits?: number | undefined
  /** Whether its client may keep the lock beyond its release. Then whoever looks at the line sees that. */
  readonly keeps?: boolean
  /** Whether its caller will remove it if others stand before it: then a link may leave it out, if it can do so with the same request. */
  readonly ifFree: boolean
}

export interface LeaseRequest {
  readonly lock: LockName
  readonly key: string
  readonly session: string
  readonly leaseMs: number | undefined
}
