import type { Pool } from 'pg'
import type { MakeConnection } from '../../src/stores/postgres/connection.js'
import { pgConnections } from '../../src/stores/postgres/pg-connection.js'

/** Connections like those of the pool, and the statements that were sent on them. */
export function countedConnections(pool: Pool): { readonly make: MakeConnection; readonly sent: string[] } {
  const makeConnection = pgConnections(pool)
  const sent: string[] = []
  const make: MakeConnection = (prepares) => {
    const connection = makeConnection(prepares)
    const query = connection.query.bind(connection)
    connection.query = (text, values, name) => {
      const about = values?.[0] === 'edges' ? ' edges' : ''
      sent.push(name ? name.replace('holdfast_', '') + about : text.trim().split(/\s/, 1).join())
      return query(text, values, name)
    }
    return connection
  }
  return { make, sent }
}
