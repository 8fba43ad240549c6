import { afterAll, beforeAll, describe } from 'vitest'
import { conformance } from '../../src/conformance/index.js'
import { advisory, advisoryTraits } from '../../src/stores/postgres/advisory.js'
import { missing, poolOf, title } from '../postgres/server.js'
import { bringSqlServer, type SqlServer } from '../servers/sql/index.js'

describe.skipIf(missing)(title, () => {
  let server: SqlServer
  let pool: ReturnType<typeof poolOf>
  beforeAll(async () => {
    // A connection for each lock: the suite holds hundreds at once.
    server = await bringSqlServer('PostgreSQL', { settings: { max_connections: '500' } })
    pool = poolOf(server.address)
  })
  afterAll(async () => {
    await pool?.end()
    await server?.stop()
  })
  conformance({ name: 'advisory locks', open: () => advisory(pool), traits: advisoryTraits })
})
