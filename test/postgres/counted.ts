import type { Pool } from 'pg'
import type { SqlConnection, SqlConnections } from '../../src/postgres/connection.js'
import { pgConnections } from '../../src/postgres/pg-connection.js'

/** Connections like those of the pool, and the statements that were sent on them. */
export function countedConnections(pool: Pool): { readonly make: SqlConnections; readonly sent: string[] } {
  const makeConnection = pgConnections(pool)
  const sent: string[] = []
  const make = (): SqlConnection => {
    const connection = makeConnection()
    const query = connection.query.bind(connection)
    connection.query = (text, values, name) => {
      sent.push(name?.replace('holdfast_', '') ?? text.trim().split(/\s/, 1).join())
      return query(text, values, name)
    }
    return connection
  }
  return { make, sent }
}
