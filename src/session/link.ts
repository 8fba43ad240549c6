import type { Owner } from '../identity/owner.js'

/**
 * What a server with sessions does for one client (etcd, ZooKeeper). Entries stand in line under the name of a lock, in the order in
 * which they came; the first has the lock. An entry goes when its session ends, when its own lease ends, or when it is removed. Failures
 * are `StoreError`s; after a transient one the same command may be sent again.
 */
export interface SessionLink {
  /** Begins a session. The server may round its time up. */
  begin(ttlMs: number): Promise<SessionGrant>
  /** Starts the session's time anew. False: it has ended. */
  keepAlive(session: string): Promise<boolean>
  /** Ends it, with all its entries. */
  end(session: string): Promise<void>
  /** Puts an entry in line, unless one of that key stands there already. The line as it is then; undefined: the session has ended. */
  stand(request: StandRequest): Promise<Line | undefined>
  /** The line of that lock. */
  read(name: string): Promise<Line>
  /** Notes who an entry is for, and gives it a lease of its own; without one it lasts as long as the session. False: it is gone. */
  assign(request: AssignRequest): Promise<boolean>
  /** Removes an entry. False: there was none. */
  remove(name: string, key: string): Promise<boolean>
  /** Calls back once, when the entry is gone or may be; also if it was gone before. */
  watch(name: string, key: string, onGone: () => void): EntryWatch
  /** The locks of that keyspace that are held. */
  names(): AsyncIterable<string>
  close(): void
}

export interface SessionGrant {
  readonly session: string
  readonly ttlMs: number
}

export interface StandRequest {
  readonly session: string
  readonly name: string
  /** Unlike that of any other entry. */
  readonly key: string
  readonly owner: Owner
  /** Whether to do so only if nobody else stands there. */
  readonly ifFree: boolean
}

export interface AssignRequest {
  readonly name: string
  readonly key: string
  readonly session: string
  readonly owner: Owner
  /** How long the entry lasts from now on, whatever becomes of the session; undefined: as long as the session. */
  readonly leaseMs: number | undefined
}

export interface EntryWatch {
  close(): void
}

/** An entry in line. */
export interface Entry {
  readonly key: string
  readonly session: string
  readonly owner: Owner
  /** Grows with every entry of that lock that there ever was. */
  readonly sequence: bigint
  /** How long it lasts if nothing is done. */
  readonly remainingMs: number
}

/** The entries of one lock, the first of which has it. */
export type Line = readonly Entry[]
