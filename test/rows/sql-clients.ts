/** PostgreSQL, MariaDB, MySQL and SQLite with each of their client libraries, at the sessions that keep the rows. */
import { afterEach, describe, expect } from 'vitest'
import type { RowSession } from '../../src/stores/rows/rows.js'
import type { SqlSession } from '../../src/stores/sql/session.js'
import { type Driver, libsqlDriver, nodeDriver } from '../../src/stores/sqlite/driver.js'
import * as mysql from '../mysql/clients.js'
import * as postgres from '../postgres/server.js'
import type { ProductName } from '../servers/sql/index.js'
import { type Database, onDatabases } from '../setup/databases.js'
import { duringAll } from '../setup/during.js'
import { TestClient } from '../sqlite/client.js'
import { Stand } from '../sqlite/stand.js'
import { lockRow, numbered } from '../transactions/application.js'

export interface SqlClient {
  readonly session: RowSession & Pick<SqlSession, 'clean' | 'express'>
  readonly errors: unknown[]
  /** How often messages may have been missed, where there are any. */
  readonly missed?: () => number
}

export interface TableOptions {
  readonly table?: string
}

type Row = Readonly<Record<string, unknown>>

/** Clients of one product by one library, each as another process would have it. */
export interface SqlClients {
  readonly product: ProductName | 'SQLite'
  /** Makes its table. Closed after the test, which fails if an error was told. */
  open(options?: TableOptions): SqlClient
  /** Asks as an administrator; a question mark stands for each value. */
  administer(sql: string, ...values: unknown[]): Promise<Row[]>
  /** Locks the row of that name, until the function is called that it resolves with. */
  lockRow(name: string): Promise<() => Promise<void>>
}

interface Way extends Omit<SqlClients, 'product'> {
  end(): Promise<unknown>
}

function toPostgres({ address }: Database, library: (typeof postgres.libraryNames)[number]): Way {
  const application = postgres.libraries[library](address)
  const pool = postgres.poolOf(address)
  return {
    open: (options) => postgres.openClient(application, { createTable: true, ...options }),
    administer: async (sql, ...values) =>
      (await (values.length > 0 ? pool.query<Row>(numbered(sql), values) : pool.query<Row>(sql))).rows,
    lockRow: (name) => lockRow('PostgreSQL', address, name),
    end: () => Promise.all([pool.end(), application.end()]),
  }
}

function toMysql({ address }: Database, library: mysql.Library): Way {
  return {
    open: (options) =>
      mysql.openClient(() => mysql.libraries[library](address), { createTable: true, ...options }),
    administer: (sql, ...values) => mysql.administer(address, sql, values),
    lockRow: (name) => lockRow('MySQL', address, name),
    end: async () => undefined,
  }
}

/** One file, whose table has another name. Rows are cleaned away by clients that open it, and no row is locked alone. */
function toSqlite(path: string, driver: Driver): Way {
  return {
    open: () => {
      const { session, errors } = new TestClient(path, { driver })
      const { express } = session
      if (!express) throw new Error('it has no express commands')
      const clean = async (): Promise<void> => undefined
      return { session: Object.assign(session, { express, clean }), errors }
    },
    administer: async (sql, ...values) => {
      const connection = driver(path)
      connection.exec('PRAGMA busy_timeout = 5000')
      const statement = connection.prepare(sql.replaceAll('holdfast_locks', 'holdfast_rows'))
      const rows = statement.all(...values.map(String)).map((row) => ({ ...Object(row) }))
      connection.close()
      return rows
    },
    lockRow: () => expect.unreachable(),
    end: async () => undefined,
  }
}

/** A group of tests for each product and library. */
export async function onSqlClients(tests: (clients: SqlClients) => void): Promise<void> {
  await onDatabases(['PostgreSQL', 'MariaDB', 'MySQL'], (database, product) => {
    const ways: Readonly<Record<string, () => Way>> =
      product === 'PostgreSQL'
        ? Object.fromEntries(postgres.libraryNames.map((name) => [name, () => toPostgres(database(), name)]))
        : Object.fromEntries(mysql.libraryNames.map((name) => [name, () => toMysql(database(), name)]))
    withEach(product, ways, tests)
  })
  describe('SQLite', () => {
    const stand = new Stand()
    const drivers = Object.entries({ libsql: libsqlDriver(), 'node:sqlite': nodeDriver() })
    const ways = drivers.flatMap(([name, driver]) =>
      driver ? [[name, () => toSqlite(stand.path(), driver)] as const] : [],
    )
    withEach('SQLite', Object.fromEntries(ways), tests)
  })
}

function withEach(
  product: SqlClients['product'],
  ways: Readonly<Record<string, () => Way>>,
  tests: (clients: SqlClients) => void,
): void {
  describe.each(Object.entries(ways))('with %s', (_library, toServer) => {
    const way = duringAll(toServer)
    const opened: SqlClient[] = []
    afterEach(async () => {
      for (const { session, errors } of opened.splice(0)) {
        await session.close()
        expect(errors).toEqual([])
      }
    })

    tests({
      product,
      open: (options = {}) => {
        const client = way.open(options)
        opened.push(client)
        return client
      },
      administer: (...asked) => way.administer(...asked),
      lockRow: (name) => way.lockRow(name),
    })
  })
}
