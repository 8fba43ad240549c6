import { afterAll, beforeAll } from 'vitest'
import { conformance } from '../../src/conformance/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import { poolOf } from '../postgres/server.js'
import { onDatabases } from '../setup/databases.js'

await onDatabases(['PostgreSQL'], (database, product) => {
  let pool: ReturnType<typeof poolOf>
  beforeAll(() => {
    pool = poolOf(database().address)
  })
  afterAll(() => pool?.end())
  // Few connections for each client: the many clients of a suite share one server.
  conformance({
    name: product,
    open: () => postgres(pool, { createTable: true, connections: 2 }),
  })
})
