import type { Owner } from '../../base/identity/owner.js'
import type { SqlConnection } from '../sql/connection.js'
import type { Connector } from '../sql/connector.js'

/** A connection that holds a lock, as its server describes it. */
export interface Holder {
  /** The number by which the server knows the connection. */
  readonly id: string
  /** Where the server tells. */
  readonly owner: Owner | undefined
  /** How long until its lease ends; Infinity where the server does not tell. */
  readonly remainingMs: number
}

export interface Attempted {
  readonly taken: boolean
  /** The present holder, if the server tells. */
  readonly holder?: Holder | undefined
}

/** The owner of a connection, and the silence after which the server ends it. */
export interface Lease {
  readonly owner: Owner
  readonly leaseMs: number
}

/** Locks that a database server keeps for a connection, and lets go when the connection ends. Failures are `StoreError`s. */
export interface ServerLocks {
  readonly connector: Connector
  /** Sets the lease, as far as the server can. Counts as a sign of life, like any statement. */
  lease(connection: SqlConnection, lease: Lease, withinMs?: number): Promise<unknown>
  /** Takes the lock if it is free. The connection does not hold it yet. */
  attempt(connection: SqlConnection, name: string, lease: Lease): Promise<Attempted>
  /** Takes the lock after a refused attempt. Waits for so long at most. */
  wait(connection: SqlConnection, name: string, waitMs: number): Promise<boolean>
  free(connection: SqlConnection, name: string): Promise<unknown>
  /** The number by which the server knows the connection. */
  idOf(connection: SqlConnection): Promise<string>
  /** The connection that has the lock. */
  holderOf(connection: SqlConnection, name: string): Promise<Holder | undefined>
  /** How many connections wait for the lock, as far as the server tells. */
  waitingFor(connection: SqlConnection, name: string): Promise<number | undefined>
  /** Makes the server end that connection, of whichever client. */
  end(connection: SqlConnection, id: string): Promise<unknown>
}
