import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'
import postgresJs, { type Sql } from 'postgres'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { Holdfast, type HoldfastOptions } from '../../src/index.js'
import type { StoreSettings } from '../../src/port/store.js'
import { postgres } from '../../src/stores/postgres/index.js'
import { checkPostgresOptions, type PostgresOptions } from '../../src/stores/postgres/options.js'
import { postgresRows } from '../../src/stores/postgres/rows.js'
import { postgresSchema } from '../../src/stores/postgres/schema.js'
import { connectionsLike, type PostgresClient } from '../../src/stores/postgres/store.js'
import type { InboxListener, Message } from '../../src/stores/rows/rows.js'
import type { SqlSession } from '../../src/stores/sql/session.js'
import { clientSettings } from '../rows/client-settings.js'
import {
  bringSqlServer,
  type SqlAddress,
  type SqlOrder,
  type SqlServer,
  whyNot,
} from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { duringAll } from '../setup/during.js'
import { lockRow } from '../transactions/application.js'

const refusal = await whyNot('PostgreSQL')

export const title = refusal === undefined ? 'PostgreSQL' : `PostgreSQL: skipped (${refusal})`
export const missing = refusal !== undefined

export interface Extra {
  readonly host?: string
  readonly port?: number
  readonly user?: string
  readonly password?: string | (() => Promise<string>)
  readonly ssl?: ConnectionOptions | false
  /** What the server is asked to set for the connection. */
  readonly settings?: Readonly<Record<string, string>>
}

export function poolOf(
  { dir, port, user, database }: SqlAddress,
  { settings = {}, ...extra }: Extra & pg.PoolConfig = {},
): pg.Pool {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const pool = new pg.Pool({ host: dir, port, user, database, options: options.join(' '), ...extra })
  // Of connections that break while idle: when the server is stopped.
  pool.on('error', () => undefined)
  return pool
}

/** The same with the other client library. */
export function sqlOf(
  { dir, port, user, database }: SqlAddress,
  { settings = {}, ...extra }: Extra = {},
): Sql {
  return postgresJs({ host: dir, port, user, database, connection: { ...settings }, ...extra })
}

export const libraries = { pg: poolOf, postgres: sqlOf } as const

export const libraryNames = ['pg', 'postgres'] as const

export function bringPostgres(order?: SqlOrder): Promise<SqlServer> {
  return bringSqlServer('PostgreSQL', order)
}

export interface Client {
  readonly id: string
  readonly session: SqlSession
  readonly messages: Message[]
  readonly errors: unknown[]
  /** How often messages may have been missed. */
  readonly missed: () => number
}

export function openClient(
  client: PostgresClient,
  options: PostgresOptions = {},
  others: Partial<StoreSettings> = {},
): Client {
  const messages: Message[] = []
  let missed = 0
  const listener: InboxListener = {
    message: (message) => messages.push(message),
    missed: () => {
      missed += 1
    },
  }
  const { settings, errors } = clientSettings(others)
  const rows = postgresRows(connectionsLike(client), checkPostgresOptions(options))
  const session = rows.openRows(settings, listener)
  return { id: settings.clientId, session, messages, errors, missed: () => missed }
}

/** A server of one group of tests, with its table, and whatever a test opens on it: that is closed after the test. */
export class Stand {
  readonly #ends: Array<() => unknown> = []
  readonly server: SqlServer
  #pool: pg.Pool | undefined
  #tidyAt = 0

  constructor(bring: () => Promise<SqlServer> = bringPostgres) {
    this.server = duringAll(bring)
    beforeAll(async () => {
      this.#pool = poolOf(this.address)
      await this.#pool.query(postgresSchema())
    })
    afterEach(() => this.tidy())
    afterAll(() => this.#pool?.end())
  }

  get address(): SqlAddress {
    return this.server.address
  }

  get pool(): pg.Pool {
    if (!this.#pool) throw new Error('the pool is there while a test runs')
    return this.#pool
  }

  /** An application's pool, or what its client library has of the kind. */
  application(library: (typeof libraryNames)[number], extra: Extra = {}): pg.Pool | Sql {
    return this.ending(libraries[library](this.address, extra))
  }

  ending<Application extends { end(): Promise<unknown> }>(application: Application): Application {
    this.after(() => application.end())
    return application
  }

  client(
    application: PostgresClient = this.pool,
    ...[options, settings]: [PostgresOptions?, Partial<StoreSettings>?]
  ): Client {
    const client = openClient(application, options, settings)
    this.after(() => client.session.close())
    return client
  }

  holdfast(
    application: PostgresClient = this.pool,
    options: HoldfastOptions = {},
    ofStore: PostgresOptions = {},
  ): Holdfast {
    const holdfast = new Holdfast(postgres(application, ofStore), options)
    this.after(() => holdfast.close())
    return holdfast
  }

  after(end: () => unknown): void {
    this.#ends.push(end)
  }

  async tidy(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end()
    this.#tidyAt = Date.now()
  }

  /** The server's processes that serve Holdfast, and of which that holds. Those of the last test may be there still, about to end. */
  async processes(where = 'true'): Promise<number[]> {
    const { rows } = await this.pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'holdfast'
        AND backend_start > to_timestamp($1::float8 / 1000) AND ${where}`,
      [this.#tidyAt],
    )
    return rows.map(({ pid }) => pid)
  }

  /** The first of them that waits for a row or a table. */
  blocked(): Promise<number> {
    return until(async () => (await this.processes("wait_event_type = 'Lock'"))[0], { what: 'it waits' })
  }

  lockRow(name: string): Promise<() => Promise<void>> {
    return lockRow('PostgreSQL', this.address, name)
  }

  /** Takes all the connections that are left, until the test ends or the function is called. */
  async fill(): Promise<() => Promise<void>> {
    const fillers: pg.Client[] = []
    const empty = async (): Promise<void> => {
      await Promise.all(fillers.splice(0).map((each) => each.end()))
    }
    this.after(empty)
    const { dir: host, port, user, database } = this.address
    const filling = async (): Promise<never> => {
      for (;;) {
        const filler = new pg.Client({ host, port, user, database })
        filler.on('error', () => undefined)
        await filler.connect()
        fillers.push(filler)
      }
    }
    await expect(filling()).rejects.toMatchObject({ code: '53300' })
    return empty
  }
}

/** A server that has room for a few connections only. */
export function bringNarrowPostgres(): Promise<SqlServer> {
  return bringPostgres({
    settings: { max_connections: '12', superuser_reserved_connections: '0', max_wal_senders: '0' },
  })
}

/** Resolves when the table tells of one client that waits for it. */
export async function untilWaiting(lock: {
  countWaitingClients(): Promise<number | undefined>
}): Promise<void> {
  await until(async () => (await lock.countWaitingClients()) === 1, { what: 'it waits' })
}

/** Has one permit in each semaphore of that name. */
export async function onePermit(holdfast: Holdfast, name: string): Promise<void> {
  await holdfast.semaphore(name).trySetPermits(1)
  await holdfast.permitExpirableSemaphore(name).trySetPermits(1)
}

/** Each kind for which a call may wait. */
export const kindsOfCalls = {
  lock: (holdfast: Holdfast, name: string) => holdfast.lock(name),
  'fair lock': (holdfast: Holdfast, name: string) => holdfast.fairLock(name),
  'fenced lock': (holdfast: Holdfast, name: string) => holdfast.fencedLock(name),
  'write lock': (holdfast: Holdfast, name: string) => holdfast.readWriteLock(name).writeLock(),
  semaphore: (holdfast: Holdfast, name: string) => holdfast.semaphore(name),
  'permit-expirable semaphore': (holdfast: Holdfast, name: string) => holdfast.permitExpirableSemaphore(name),
} as const
