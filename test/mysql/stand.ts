import { beforeAll, describe, onTestFinished } from 'vitest'
import type { StoreSettings } from '../../src/port/store.js'
import { type MysqlConnection, type MysqlOptions, mysqlSchema } from '../../src/stores/mysql/index.js'
import { bringSqlServer, type SqlOrder, type SqlServer, whyNot } from '../servers/sql/index.js'
import { trust } from '../setup/certificate.js'
import { duringAll } from '../setup/during.js'
import { lockRow } from '../transactions/application.js'
import { administer, type Client, type Extra, type Library, libraries, openClient } from './clients.js'

/** Statements of Holdfast's that are under way. */
const UNDER_WAY =
  "SELECT id AS id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND command <> 'Sleep' AND info LIKE '%holdfast_locks%'"

/** A server of one group of tests, with its table, and whatever a test opens on it: that is closed after the test. */
export class Stand {
  readonly server: SqlServer
  /** How everybody comes to it. */
  readonly #way: Extra

  constructor(product: 'MariaDB' | 'MySQL', order: SqlOrder = {}) {
    this.server = duringAll(() => bringSqlServer(product, order))
    this.#way = order.tls ? { ssl: trust.right } : {}
    beforeAll(async () => {
      await this.run(mysqlSchema())
    })
  }

  run(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
    return administer(this.server.address, sql, values, this.#way)
  }

  connect(library: Library, extra: Extra = {}): Promise<MysqlConnection> {
    return libraries[library](this.server.address, { ...this.#way, ...extra })
  }

  client(
    connect: MysqlOptions['connect'],
    ...others: [options?: Omit<MysqlOptions, 'connect'>, settings?: Partial<StoreSettings>]
  ): Client {
    const client = openClient(connect, ...others)
    onTestFinished(() => client.session.close())
    return client
  }

  /** Those of the application's usual user, but for the one that asks. */
  async connections(user = 'holdfast'): Promise<number[]> {
    const rows = await this.run(
      'SELECT id AS id FROM information_schema.processlist WHERE user = ? AND id <> CONNECTION_ID()',
      [user],
    )
    return rows.map((row) => Number(row['id']))
  }

  /** The connection whose statement waits for a row, if there is one. */
  async blocked(): Promise<number | undefined> {
    const [row] = await this.run(UNDER_WAY)
    return row && Number(row['id'])
  }

  lockRow(name: string): Promise<() => Promise<void>> {
    return lockRow('MySQL', this.server.address, name)
  }
}

/** A group of tests for each product that is to be had here. */
export async function onServers(what: string, tests: (product: 'MariaDB' | 'MySQL') => void): Promise<void> {
  for (const product of ['MariaDB', 'MySQL'] as const) {
    const refusal = await whyNot(product)
    const skipped = refusal === undefined ? '' : `: skipped (${refusal})`
    describe.skipIf(refusal !== undefined)(`${product}${skipped}: ${what}`, () => tests(product))
  }
}
