/** The same as beside this, with the client library `postgres`. */
import { afterAll, beforeAll } from 'vitest'
import { conformance } from '../../src/conformance/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import { sqlOf } from '../postgres/server.js'
import { onDatabases } from '../setup/databases.js'

await onDatabases(['PostgreSQL'], (database, product) => {
  let sql: ReturnType<typeof sqlOf>
  beforeAll(() => {
    sql = sqlOf(database().address)
  })
  afterAll(() => sql?.end())
  conformance({
    name: `${product} by postgres`,
    open: () => postgres(sql, { createTable: true, connections: 2 }),
  })
})
