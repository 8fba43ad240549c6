/** The store for locks in a database, as an application makes it. */
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import type { Store } from '../../src/index.js'
import { mysql } from '../../src/stores/mysql/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import type { ProductName, SqlAddress } from '../servers/sql/index.js'

export function storeAt(
  product: ProductName,
  { host, port, user, password, database }: SqlAddress,
  table = 'holdfast_locks',
): Store {
  const address = { host, port, user, password, database }
  return product === 'PostgreSQL'
    ? postgres(new pg.Pool(address), { createTable: true, table })
    : mysql({ connect: () => createConnection(address), createTable: true, table })
}
