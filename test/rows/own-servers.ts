/** Servers of PostgreSQL, MariaDB and MySQL that a group of tests has for itself: to be spoilt, stopped and filled. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { ConnectionOptions } from 'node:tls'
import { promisify } from 'node:util'
import { beforeAll, describe, onTestFinished } from 'vitest'
import type { Store } from '../../src/index.js'
import type { StoreSettings } from '../../src/port/store.js'
import { mysql, mysqlSchema } from '../../src/stores/mysql/index.js'
import { postgres } from '../../src/stores/postgres/index.js'
import * as my from '../mysql/clients.js'
import * as pg from '../postgres/server.js'
import {
  bringSqlServer,
  type ProductName,
  type SqlAddress,
  type SqlOrder,
  type SqlServer,
  whyNot,
} from '../servers/sql/index.js'
import { trust } from '../setup/certificate.js'
import { duringAll } from '../setup/during.js'
import { lockRow } from '../transactions/application.js'
import type { SqlClient, TableOptions } from './sql-clients.js'

export interface Login {
  readonly host?: string
  readonly port?: number
  readonly user?: string
  readonly database?: string
  readonly password?: string | (() => Promise<string>)
  readonly ssl?: ConnectionOptions | false
}

interface Options extends TableOptions {
  readonly createTable?: boolean
  readonly connections?: number
}

/** One server, as one client library comes to it. */
export interface OwnServer {
  readonly product: ProductName
  readonly library: string
  readonly address: SqlAddress
  /** Closed after the test. */
  client(login?: Login, options?: Options, settings?: Partial<StoreSettings>): SqlClient
  store(login?: Login): Store
  /** As an administrator. */
  run(sql: string): Promise<unknown>
  /** Somebody with these rights on the table, and no others. */
  userWith(rights: readonly string[]): Promise<Login & { readonly user: string }>
  /** Those of Holdfast, as its usual user unless another is named. */
  connections(user?: string): Promise<readonly number[]>
  /** Ends a connection, or only what it does at the moment. */
  end(connection: number, what?: 'CONNECTION' | 'QUERY'): Promise<unknown>
  /** The connection whose statement waits for a row, if there is one. */
  blocked(): Promise<number | undefined>
  /** Locks the row of that name, until the function is called that it resolves with. */
  lockRow(name: string): Promise<() => Promise<void>>
  /** Holdfast is answered no more, until the function is called that it resolves with. */
  freeze(): Promise<() => Promise<unknown>>
}

function ofPostgres(stand: pg.Stand, library: (typeof pg.libraryNames)[number]): OwnServer {
  const run = (sql: string, values?: unknown[]) => stand.pool.query(sql, values)
  return {
    product: 'PostgreSQL',
    library,
    get address() {
      return stand.address
    },
    client: (login, ...others) => stand.client(stand.application(library, login), ...others),
    store: (login) => postgres(stand.application(library, login)),
    run: (sql) => run(sql),
    userWith: async (rights) => {
      const user = `user_${randomUUID().replaceAll('-', '')}`
      const granted = rights.length > 0 ? `GRANT ${rights.join(', ')} ON holdfast_locks TO ${user};` : ''
      await run(`CREATE ROLE ${user} LOGIN; ${granted} REVOKE CREATE ON SCHEMA public FROM PUBLIC`)
      return { user }
    },
    connections: () => stand.processes(),
    end: (connection, what) =>
      run(`SELECT pg_${what === 'QUERY' ? 'cancel' : 'terminate'}_backend($1)`, [connection]),
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

function ofMysql(server: SqlServer, product: ProductName, library: my.Library, way: my.Extra): OwnServer {
  const run = (sql: string, values?: unknown[]) => my.administer(server.address, sql, values, way)
  const connect =
    ({ password, ...login }: Login = {}) =>
    async () =>
      my.libraries[library](server.address, {
        ...{ connectTimeout: 2_000, ...way, ...login },
        ...(password && { password: typeof password === 'string' ? password : await password() }),
      })
  /** The statements or connections of which that holds, but for the one that asks. */
  const processes = async (where: string, ...values: unknown[]): Promise<number[]> => {
    const others = 'SELECT id AS id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND'
    return (await run(`${others} ${where}`, values)).map(({ id }) => Number(id))
  }
  return {
    product,
    library,
    get address() {
      return server.address
    },
    client: (login, ...others) => {
      const client = my.openClient(connect(login), ...others)
      onTestFinished(() => client.session.close())
      return client
    },
    store: (login) => mysql({ connect: connect(login) }),
    run: (sql) => run(sql),
    userWith: async (rights) => {
      const user = `u${randomUUID().replaceAll('-', '').slice(0, 30)}`
      const granted = rights.length > 0 ? `GRANT ${rights.join(', ')} ON holdfast_locks TO ${user}` : ''
      await run(`CREATE USER ${user} IDENTIFIED BY 'it'; ${granted}`)
      return { user, password: 'it' }
    },
    connections: (user = 'holdfast') => processes('user = ?', user),
    end: (connection, what = 'CONNECTION') => run(`KILL ${what} ${connection}`),
    blocked: async () => (await processes("command <> 'Sleep' AND info LIKE '%holdfast_locks%'"))[0],
    lockRow: (name) => lockRow('MySQL', server.address, name),
    freeze: async () => {
      await server.pause()
      return () => server.resume()
    },
  }
}

/** A group of tests for each product and library; those of one product have a server. */
export async function onOwnServers(
  what: string,
  tests: (server: OwnServer) => void,
  order?: SqlOrder,
): Promise<void> {
  describe.skipIf(pg.missing)(`${pg.title}: ${what}`, () => {
    const stand = new pg.Stand(() => pg.bringPostgres(order))
    describe.each(pg.libraryNames)('with %s', (library) => tests(ofPostgres(stand, library)))
  })
  for (const product of ['MariaDB', 'MySQL'] as const) {
    const refusal = await whyNot(product)
    const skipped = refusal === undefined ? '' : `: skipped (${refusal})`
    describe.skipIf(refusal !== undefined)(`${product}${skipped}: ${what}`, () => {
      const server = duringAll(() => bringSqlServer(product, order))
      const way = order?.tls ? { ssl: trust.right } : {}
      beforeAll(async () => void (await my.administer(server.address, mysqlSchema(), [], way)))
      describe.each(my.libraryNames)('with %s', (library) => tests(ofMysql(server, product, library, way)))
    })
  }
}
