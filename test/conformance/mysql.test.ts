import { createPool as createMariadbPool } from 'mariadb'
import { createPool } from 'mysql2/promise'
import { afterAll } from 'vitest'
import { conformance } from '../../src/conformance/index.js'
import { type MysqlPool, mysql } from '../../src/stores/mysql/index.js'
import { onDatabases } from '../setup/databases.js'

await onDatabases(['MySQL', 'MariaDB'], (database, product) => {
  let pool: MysqlPool | undefined
  const poolOf = (): MysqlPool => {
    const { host, port, user, password, database: name } = database().address
    const login = { host, port, user, password, database: name }
    // That of mariadb gives its own connections away.
    pool ??=
      product === 'MySQL'
        ? createPool(login)
        : createMariadbPool({ ...login, connectionLimit: 100, minimumIdle: 1 })
    return pool
  }
  afterAll(() => pool?.end())
  const { traits } = mysql({ connect: () => Promise.reject(new Error('nothing is asked')) })
  conformance({ name: product, open: () => mysql(poolOf(), { createTable: true }), traits })
})
