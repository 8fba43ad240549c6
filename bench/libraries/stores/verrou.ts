import { Verrou } from '@verrou/core'
import { knexStore } from '@verrou/core/drivers/knex'
import pkg from 'knex'
import type { Open } from '../../drivers/library.js'
import { versionOf } from '../version.js'
import { connectionsAt } from './session.js'

/** Defaults throughout: it waits for as long as it takes, asks again after 250 ms, and its lease of 30 s is not renewed. */
export const open: Open = (place) => {
  const { host, port, system, login } = place
  const connection = pkg.knex({
    client: system === 'PostgreSQL' ? 'pg' : 'mysql2',
    connection: { host, port, ...login },
    pool: { min: 0, max: connectionsAt(place) },
  })
  const verrou = new Verrou({
    default: 'database',
    stores: { database: { driver: knexStore({ connection, tableName: 'verrou', autoCreateTable: false }) } },
  })
  return {
    version: versionOf('@verrou/core'),
    async section(key, body) {
      const lock = verrou.createLock(key)
      if (!(await lock.acquire())) throw new Error('verrou did not acquire')
      const working = body()
      if (working) await working
      await lock.release()
    },
    close: () => connection.destroy(),
  }
}
