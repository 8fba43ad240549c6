import type { Owner } from '../../base/identity/owner.js'
import type { SqlConnection } from '../sql/connection.js'

/** A connection of this client that holds one lock, or waits for it. */
export class Place {
  /** 0 while it waits. */
  holds = 0
  leaseMs = Infinity
  /** When the server ends the connection if it hears nothing more. */
  endsAt = Infinity
  /** Nobody wants it any more. */
  left = false
  connection: SqlConnection | undefined
  /** The number by which the server knows the connection. */
  id: string | undefined

  constructor(
    readonly name: string,
    public owner: Owner,
  ) {}
}
