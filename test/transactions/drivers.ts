/** Each driver on each database, as an application uses it. */
import postgres from 'postgres'
import { describe, onTestFinished } from 'vitest'
import {
  mysqlNamesSchema,
  type Row,
  type SharedLockOptions,
  type SqlConnection,
  transactionLock,
} from '../../src/transactions/index.js'
import type { ProductName, SqlAddress } from '../servers/sql/index.js'
import { type Database, onDatabases } from '../setup/databases.js'
import { duringAll } from '../setup/during.js'
import { eventually } from '../setup/eventually.js'
import {
  connectByMariadb,
  connectByMysql2,
  connectByPg,
  connectTo,
  loginOf,
  numbered,
  type OwnConnection,
} from './application.js'

export interface Client {
  begin(isolation?: Isolation): Promise<Transaction>
  end(): Promise<unknown>
}

export type Isolation = 'READ COMMITTED' | 'REPEATABLE READ'

export interface Transaction {
  readonly tx: SqlConnection
  /** With `?` for values. */
  query(text: string, ...values: unknown[]): Promise<Row[]>
  commit(): Promise<unknown>
  rollback(): Promise<unknown>
}

class Rollback extends Error {}

async function connectByPostgres(address: SqlAddress): Promise<Client> {
  const sql = postgres({ ...loginOf(address), max: 1, onnotice: () => undefined })
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
            query: async (text, ...values) => {
              const texts = values.map((value) => (value === null ? null : String(value)))
              return [...(await tx.unsafe<Row[]>(numbered(text), texts))]
            },
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

async function clientOf(product: ProductName, connecting: Promise<OwnConnection>): Promise<Client> {
  const { tx, run, end } = await connecting
  return {
    begin: async (isolation) => {
      const level = isolation ? `ISOLATION LEVEL ${isolation}` : ''
      if (level && product !== 'PostgreSQL') await run(`SET TRANSACTION ${level}`)
      await run(product === 'PostgreSQL' ? `BEGIN ${level}` : 'BEGIN')
      return { tx, query: run, commit: () => run('COMMIT'), rollback: () => run('ROLLBACK') }
    },
    end,
  }
}

export type DriverName = 'pg' | 'postgres' | 'mysql2' | 'mariadb'

/** A client of that driver there. */
export function connectBy(
  driver: DriverName,
  { product, address }: Pick<Database, 'product' | 'address'>,
): Promise<Client> {
  if (driver === 'postgres') return connectByPostgres(address)
  const ways = { pg: connectByPg, mysql2: connectByMysql2, mariadb: connectByMariadb }
  return clientOf(product, ways[driver](address))
}

const driversOf: Readonly<Record<ProductName, readonly DriverName[]>> = {
  PostgreSQL: ['pg', 'postgres'],
  MariaDB: ['mysql2', 'mariadb'],
  MySQL: ['mysql2', 'mariadb'],
}

export type Stand = Awaited<ReturnType<typeof standOn>>

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

async function standOn(database: Database, driver: DriverName) {
  const { product, address } = database
  // No test uses this connection otherwise.
  const { run: query, end } = await connectTo(product, address)
  if (product !== 'PostgreSQL') await query(mysqlNamesSchema())
  const connect = async (): Promise<Client> => {
    const client = await connectBy(driver, database)
    onTestFinished(async () => void (await client.end().catch(() => undefined)))
    return client
  }
  /** A transaction on a connection of its own, rolled back with it after the test. */
  const begin = async (isolation?: Isolation) => (await connect()).begin(isolation)
  return {
    ...{ product, driver, address, connect, query, end, begin },
    /** A transaction that has the lock of that name. */
    holding: async (name: string, options?: SharedLockOptions): Promise<Transaction> => {
      const transaction = await begin()
      await transactionLock(transaction.tx, name, options)
      return transaction
    },
    /** Makes a table with these rows; one that a test left which failed goes. */
    table: async (name: string, columns: string, rows?: string): Promise<void> => {
      await query(`DROP TABLE IF EXISTS ${name}`)
      await query(`CREATE TABLE ${name} (${columns})`)
      if (rows !== undefined) await query(`INSERT INTO ${name} VALUES ${rows}`)
    },
    untilWaiting: async (count = 1) => {
      await eventually(
        async () => Number(Object.values((await query(WAITING[product]))[0] ?? {}).at(-1)),
        (found) => found >= count,
      )
    },
    kill: async (transaction: Transaction) => {
      const own = product === 'PostgreSQL' ? 'pg_backend_pid()' : 'connection_id()'
      const [row] = await transaction.query(`SELECT ${own} AS id`)
      const id = Number(row?.['id'])
      return () => query(product === 'PostgreSQL' ? `SELECT pg_terminate_backend(${id})` : `KILL ${id}`)
    },
  }
}

/** How many wait, as the last column of one row. */
const WAITING: Readonly<Record<ProductName, string>> = {
  PostgreSQL: `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
  MariaDB: `SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'`,
  MySQL: `SELECT count(*) FROM performance_schema.data_lock_waits`,
}
