/** Servers of PostgreSQL, MariaDB and MySQL that a group of tests has for itself: to be spoilt, stopped and filled. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { describe } from 'vitest'
import type { StoreSettings } from '../../src/port/store.js'
import { type Library, libraryNames as mysqlLibraries } from '../mysql/clients.js'
import { Stand as MysqlStand, onServers } from '../mysql/stand.js'
import * as postgres from '../postgres/server.js'
import type { ProductName } from '../servers/sql/index.js'
import type { SqlClient, TableOptions } from './sql-clients.js'

export interface Login {
  readonly host?: string
  readonly port?: number
  readonly user?: string
  readonly password?: string
}

interface Options extends TableOptions {
  readonly createTable?: boolean
  readonly connections?: number
}

/** One server, as one client library comes to it. */
export interface OwnServer {
  readonly product: ProductName
  /** Closed after the test. */
  client(login?: Login, options?: Options, settings?: Partial<StoreSettings>): SqlClient
  /** As an administrator. */
  run(sql: string): Promise<unknown>
  /** Somebody with these rights on the table, and no others. */
  userWith(rights: readonly string[]): Promise<Login>
  /** Those of Holdfast. */
  connections(): Promise<readonly number[]>
  /** Ends a connection. */
  end(connection: number): Promise<unknown>
  /** The connection whose statement waits for a row, if there is one. */
  blocked(): Promise<number | undefined>
  /** Locks the row of that name, until the function is called that it resolves with. */
  lockRow(name: string): Promise<() => Promise<void>>
  /** Holdfast is answered no more, until the function is called that it resolves with. */
  freeze(): Promise<() => Promise<unknown>>
}

function ofPostgres(stand: postgres.Stand, library: (typeof postgres.libraryNames)[number]): OwnServer {
  const run = (sql: string, values?: unknown[]) => stand.pool.query(sql, values)
  return {
    product: 'PostgreSQL',
    client: (login = {}, ...others) => stand.client(stand.application(library, login), ...others),
    run: (sql) => run(sql),
    userWith: async (rights) => {
      const user = `user_${randomUUID().replaceAll('-', '')}`
      const granted = rights.length > 0 ? `GRANT ${rights.join(', ')} ON holdfast_locks TO ${user};` : ''
      await run(`CREATE ROLE ${user} LOGIN; ${granted} REVOKE CREATE ON SCHEMA public FROM PUBLIC`)
      return { user }
    },
    connections: () => stand.processes(),
    end: (connection) => run('SELECT pg_terminate_backend($1)', [connection]),
    blocked: async () => (await stand.processes("wait_event_type = 'Lock'"))[0],
    lockRow: (name) => stand.lockRow(name),
    freeze: async () => {
      const processes = (await stand.processes()).map(String)
      const signal = (name: string) => promisify(execFile)('kill', [`-${name}`, ...processes])
      await signal('STOP')
      return () => signal('CONT')
    },
  }
}

function ofMysql(stand: MysqlStand, product: ProductName, library: Library): OwnServer {
  return {
    product,
    client: (login = {}, ...others) =>
      stand.client(() => stand.connect(library, { connectTimeout: 2_000, ...login }), ...others),
    run: (sql) => stand.run(sql),
    userWith: async (rights) => {
      const user = `u${randomUUID().replaceAll('-', '').slice(0, 30)}`
      const granted = rights.length > 0 ? `GRANT ${rights.join(', ')} ON holdfast_locks TO ${user}` : ''
      await stand.run(`CREATE USER ${user} IDENTIFIED BY 'it'; ${granted}`)
      return { user, password: 'it' }
    },
    connections: () => stand.connections(),
    end: (connection) => stand.run(`KILL ${connection}`),
    blocked: () => stand.blocked(),
    lockRow: (name) => stand.lockRow(name),
    freeze: async () => {
      await stand.server.pause()
      return () => stand.server.resume()
    },
  }
}

/** A group of tests for each product and library; those of one product have a server. */
export async function onOwnServers(what: string, tests: (server: OwnServer) => void): Promise<void> {
  describe.skipIf(postgres.missing)(`${postgres.title}: ${what}`, () => {
    const stand = new postgres.Stand()
    describe.each(postgres.libraryNames)('with %s', (library) => tests(ofPostgres(stand, library)))
  })
  await onServers(what, (product) => {
    const stand = new MysqlStand(product)
    describe.each(mysqlLibraries)('with %s', (library) => tests(ofMysql(stand, product, library)))
  })
}
