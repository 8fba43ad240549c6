/** Each driver on each database, as an application uses it. */
import { createConnection as connectMariadb } from 'mariadb'
import { createConnection as connectMysql2 } from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import { describe, onTestFinished } from 'vitest'
import { mysqlNamesSchema, type Row, type SqlConnection } from '../../src/transactions/index.js'
import type { ProductName, SqlAddress } from '../servers/sql/index.js'
import { type Database, onDatabases } from '../setup/databases.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'

export interface Client {
  begin(isolation?: Isolation): Promise<Transaction>
  end(): Promise<void>
}

export type Isolation = 'READ COMMITTED' | 'REPEATABLE READ'

export interface Transaction {
  readonly tx: SqlConnection
  /** With `?` for values. */
  query(text: string, ...values: unknown[]): Promise<Row[]>
  commit(): Promise<void>
  rollback(): Promise<void>
}

type Connect = (address: SqlAddress) => Promise<Client>

class Rollback extends Error {}

const connectPg: Connect = async ({ host, port, user, password, database }) => {
  const client = new pg.Client({ host, port, user, password, database })
  client.on('error', () => undefined)
  await client.connect()
  const query = async (text: string, ...values: unknown[]): Promise<Row[]> =>
    (await client.query<Row>(numbered(text), values)).rows
  return {
    begin: async (isolation = 'READ COMMITTED') => {
      await client.query(`BEGIN ISOLATION LEVEL ${isolation}`)
      return { tx: client, query, commit: () => run(query, 'COMMIT'), rollback: () => run(query, 'ROLLBACK') }
    },
    end: () => client.end(),
  }
}

const connectPostgres: Connect = async ({ host, port, user, password, database }) => {
  const sql = postgres({ host, port, user, password, database, max: 1, onnotice: () => undefined })
  return {
    begin: (isolation = 'READ COMMITTED') =>
      new Promise((begun, failed) => {
        let settle: (end: () => void) => void = () => undefined
        const decided = new Promise<() => void>((resolve) => {
          settle = resolve
        })
        const ended = sql.begin(`isolation level ${isolation}`, async (tx) => {
          const end = (how: () => void) => async (): Promise<void> => {
            settle(how)
            await ended.catch((error: unknown) => {
              if (!(error instanceof Rollback)) throw error
            })
          }
          begun({
            tx,
            query: async (text, ...values) => [
              ...(await tx.unsafe<Row[]>(
                numbered(text),
                values.map((value) => (value === null ? null : String(value))),
              )),
            ],
            commit: end(() => undefined),
            rollback: end(() => {
              throw new Rollback()
            }),
          })
          const how = await decided
          how()
        })
        ended.catch(failed)
      }),
    end: () => sql.end({ timeout: 0 }),
  }
}

const connectByMysql2: Connect = async ({ host, port, user, password, database }) => {
  const connection = await connectMysql2({ host, port, user, password, database })
  connection.on('error', () => undefined)
  const query = async (text: string, ...values: unknown[]): Promise<Row[]> => {
    const [rows] = await connection.query(text, values)
    return rowsIn(rows)
  }
  return clientOf(connection, query, () => connection.end())
}

const connectByMariadb: Connect = async ({ host, port, user, password, database }) => {
  const connection = await connectMariadb({
    ...{ host, port, user, password, database },
    ...{ allowPublicKeyRetrieval: true, bigIntAsNumber: true },
  })
  connection.on('error', () => undefined)
  const query = async (text: string, ...values: unknown[]): Promise<Row[]> =>
    rowsIn(await connection.query(text, values))
  return clientOf(connection, query, () => connection.end())
}

function clientOf(tx: SqlConnection, query: Transaction['query'], end: () => Promise<void>): Client {
  return {
    begin: async (isolation = 'REPEATABLE READ') => {
      await query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`)
      await query('START TRANSACTION')
      return { tx, query, commit: () => run(query, 'COMMIT'), rollback: () => run(query, 'ROLLBACK') }
    },
    end,
  }
}

async function run(query: Transaction['query'], text: string): Promise<void> {
  await query(text)
}

function rowsIn(answer: unknown): Row[] {
  return Array.isArray(answer) ? answer.map((row: Row) => ({ ...row })) : []
}

function numbered(text: string): string {
  let count = 0
  return text.replaceAll('?', () => `$${++count}`)
}

export type DriverName = 'pg' | 'postgres' | 'mysql2' | 'mariadb'

const connects: Readonly<Record<DriverName, Connect>> = {
  pg: connectPg,
  postgres: connectPostgres,
  mysql2: connectByMysql2,
  mariadb: connectByMariadb,
}

const driversOf: Readonly<Record<ProductName, readonly DriverName[]>> = {
  PostgreSQL: ['pg', 'postgres'],
  MariaDB: ['mysql2', 'mariadb'],
  MySQL: ['mysql2', 'mariadb'],
}

export interface Stand {
  readonly product: ProductName
  readonly driver: DriverName
  readonly address: SqlAddress
  connect(): Promise<Client>
  /** A transaction on a connection of its own, rolled back with it after the test. */
  begin(isolation?: Isolation): Promise<Transaction>
  /** Does something over a connection that no test uses otherwise. */
  query: Transaction['query']
  /** Makes a table with these rows; one that a test left which failed goes. */
  table(name: string, columns: string, rows?: string): Promise<void>
  untilWaiting(count?: number): Promise<void>
  kill(transaction: Transaction): Promise<() => Promise<void>>
  end(): Promise<void>
}

/** A group of tests for each driver on each product that is to be had. */
export function onDrivers(tests: (stand: Stand, product: ProductName) => void): Promise<void> {
  return onDatabases(['PostgreSQL', 'MariaDB', 'MySQL'], (database, product) => {
    describe.each(driversOf[product])('by %s', (driver) => {
      tests(
        duringAll(() => standOn(database(), driver)),
        product,
      )
    })
  })
}

async function standOn({ product, address }: Database, driver: DriverName): Promise<Stand> {
  const watching = await (product === 'PostgreSQL' ? connectPg : connectByMysql2)(address)
  // The statements of who watches commit one by one.
  const idle = await watching.begin()
  await idle.commit()
  const { query } = idle
  if (product !== 'PostgreSQL') await query(mysqlNamesSchema())
  const connect = async (): Promise<Client> => {
    const client = await connects[driver](address)
    onTestFinished(() => client.end().catch(() => undefined))
    return client
  }
  const waiting = WAITING[product]
  return {
    ...{ product, driver, address, connect, query },
    end: () => watching.end(),
    begin: async (isolation) => (await connect()).begin(isolation),
    table: async (name, columns, rows) => {
      await query(`DROP TABLE IF EXISTS ${name}`)
      await query(`CREATE TABLE ${name} (${columns})`)
      if (rows !== undefined) await query(`INSERT INTO ${name} VALUES ${rows}`)
    },
    untilWaiting: async (count = 1) => {
      await eventually(
        async () => Number(Object.values((await query(waiting))[0] ?? {}).at(-1)),
        (found) => found >= count,
      )
    },
    kill: async (transaction) => {
      const own = product === 'PostgreSQL' ? 'pg_backend_pid()' : 'connection_id()'
      const [row] = await transaction.query(`SELECT ${own} AS id`)
      const id = Number(row?.['id'])
      return () => run(query, product === 'PostgreSQL' ? `SELECT pg_terminate_backend(${id})` : `KILL ${id}`)
    },
  }
}

/** How many wait, as the last column of one row. */
const WAITING: Readonly<Record<ProductName, string>> = {
  PostgreSQL: `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
  MariaDB: `SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'`,
  MySQL: `SELECT count(*) FROM performance_schema.data_lock_waits`,
}
