/** What an application has, whichever the product: connections of its own, and a store in its database. Child processes use it too. */
import { createConnection as connectMariadb } from 'mariadb'
import { createConnection as connectMysql2 } from 'mysql2/promise'
import pg from 'pg'
import type { Lock, Store } from '../../src/index.js'
import { mysql } from '../../src/stores/mysql/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import type { Row, SqlConnection } from '../../src/transactions/index.js'
import type { ProductName, SqlAddress } from '../servers/sql/index.js'
import { eventually } from '../setup/eventually.js'

/** What a client library is told of a server; some warn of anything else. */
export function loginOf({ host, port, user, password, database }: SqlAddress) {
  return { host, port, user, password, database }
}

export interface OwnConnection {
  readonly tx: SqlConnection
  /** With `?` for values. */
  run(text: string, ...values: unknown[]): Promise<Row[]>
  end(): Promise<unknown>
}

export function numbered(text: string): string {
  let count = 0
  return text.replaceAll('?', () => `$${++count}`)
}

export async function connectByPg(address: SqlAddress): Promise<OwnConnection> {
  const client = new pg.Client(loginOf(address))
  client.on('error', () => undefined)
  await client.connect()
  return {
    tx: client,
    run: async (text, ...values) => (await client.query<Row>(numbered(text), values)).rows,
    end: () => client.end(),
  }
}

export async function connectByMysql2(address: SqlAddress): Promise<OwnConnection> {
  const connection = await connectMysql2(loginOf(address))
  connection.on('error', () => undefined)
  return {
    tx: connection,
    run: async (text, ...values) => rowsIn((await connection.query(text, values))[0]),
    end: () => connection.end(),
  }
}

export async function connectByMariadb(address: SqlAddress): Promise<OwnConnection> {
  const options = { allowPublicKeyRetrieval: true, bigIntAsNumber: true }
  const connection = await connectMariadb({ ...loginOf(address), ...options })
  connection.on('error', () => undefined)
  return {
    tx: connection,
    run: async (text, ...values) => rowsIn(await connection.query(text, values)),
    end: () => connection.end(),
  }
}

export function rowsIn(answer: unknown): Row[] {
  return Array.isArray(answer) ? answer.map((row: Row) => ({ ...row })) : []
}

export function connectTo(product: ProductName, address: SqlAddress): Promise<OwnConnection> {
  return product === 'PostgreSQL' ? connectByPg(address) : connectByMysql2(address)
}

/** Locks the row of the lock of that name, until the function is called that it resolves with. */
export async function lockRow(
  product: ProductName,
  address: SqlAddress,
  name: string,
): Promise<() => Promise<void>> {
  const { run, end } = await connectTo(product, address)
  await run('BEGIN')
  // By its whole key: MySQL and MariaDB lock whatever they look at.
  for (const keyspace of ['lock', 'latch'])
    await run('SELECT 1 FROM holdfast_locks WHERE keyspace = ? AND name = ? FOR UPDATE', keyspace, name)
  return async () => {
    await run('COMMIT')
    await end()
  }
}

export function storeAt(product: ProductName, address: SqlAddress): Store {
  const login = loginOf(address)
  return product === 'PostgreSQL'
    ? postgres(new pg.Pool(login), { createTable: true })
    : mysql({ connect: () => connectMysql2(login), createTable: true })
}

/** Resolves when nobody holds the lock any more, and a transaction keeps it all the same. */
export async function untilTiedAlone(lock: Lock): Promise<void> {
  await eventually(async () => (await lock.inspect()).owners[0]?.holds === 0)
}
