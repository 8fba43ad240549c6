/** An application's connection, whichever the product. */
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import type { Row, SqlConnection } from '../../src/transactions/index.js'
import type { ProductName, SqlAddress } from '../servers/sql/index.js'

export interface OwnConnection {
  readonly tx: SqlConnection
  run(text: string): Promise<readonly Row[]>
  end(): Promise<void>
}

export async function connectTo(
  product: ProductName,
  { host, port, user, password, database }: SqlAddress,
): Promise<OwnConnection> {
  if (product === 'PostgreSQL') {
    const client = new pg.Client({ host, port, user, password, database })
    await client.connect()
    return {
      tx: client,
      run: async (text) => (await client.query<Row>(text)).rows,
      end: () => client.end(),
    }
  }
  const connection = await createConnection({ host, port, user, password, database })
  return {
    tx: connection,
    run: async (text) => {
      const [rows] = await connection.query(text)
      return Array.isArray(rows) ? rows.map((row) => ({ ...row })) : []
    },
    end: () => connection.end(),
  }
}
