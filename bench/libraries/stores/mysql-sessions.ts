import { createPool, type Pool, type PoolConnection } from 'mysql2/promise'
import type { Place } from '../../drivers/place.js'
import { versionOf } from '../version.js'
import { connectionsAt, type Session, type Sessions } from './session.js'

/** Connections of `mysql2`. */
export function open(place: Place): Sessions {
  const { host, port, login } = place
  const pool = createPool({ host, port, ...login, connectionLimit: connectionsAt(place) })
  const on = (connection: Pool | PoolConnection): Session => ({
    async run({ text }, values) {
      const [result] = await connection.execute(text, [...values])
      return 'affectedRows' in result ? result.affectedRows : result.length
    },
  })
  return {
    version: `mysql2 ${versionOf('mysql2')}`,
    ...on(pool),
    async with(work) {
      const connection = await pool.getConnection()
      try {
        return await work(on(connection))
      } finally {
        connection.release()
      }
    },
    close: () => pool.end(),
  }
}
