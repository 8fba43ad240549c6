import pg from 'pg'
import type { Place } from '../../drivers/place.js'
import { versionOf } from '../version.js'
import { connectionsAt, type Prepared, type Session, type Sessions } from './session.js'

/** Connections of `pg`. */
export function open(place: Place): Sessions {
  const { host, port, login } = place
  const pool = new pg.Pool({ host, port, ...login, max: connectionsAt(place) })
  const on = (client: pg.Pool | pg.PoolClient): Session => ({
    run: async ({ name, text }: Prepared, values) =>
      (await client.query({ name, text, values: [...values] })).rowCount ?? 0,
  })
  return {
    version: `pg ${versionOf('pg')}`,
    ...on(pool),
    async with(work) {
      const client = await pool.connect()
      try {
        return await work(on(client))
      } finally {
        client.release()
      }
    },
    close: () => pool.end(),
  }
}
