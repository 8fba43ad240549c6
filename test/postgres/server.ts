import { randomUUID } from 'node:crypto'
import type { ConnectionOptions } from 'node:tls'
import pg from 'pg'
import postgresJs, { type Sql } from 'postgres'
import { SystemClock } from '../../src/base/time/clock.js'
import { Schedule } from '../../src/base/time/schedule.js'
import type { StoreSettings } from '../../src/port/store.js'
import { connectionsLike, type PostgresClient } from '../../src/stores/postgres/client.js'
import { checkPostgresOptions, type PostgresOptions } from '../../src/stores/postgres/options.js'
import { PostgresRows } from '../../src/stores/postgres/rows.js'
import type { InboxListener, Message } from '../../src/stores/rows/rows.js'
import type { SqlSession } from '../../src/stores/sql/session.js'
import {
  bringSqlServer,
  type SqlAddress,
  type SqlOrder,
  type SqlServer,
  whyNot,
} from '../servers/sql/index.js'

const refusal = await whyNot('PostgreSQL')

export const title = refusal === undefined ? 'PostgreSQL' : `PostgreSQL: skipped (${refusal})`
export const missing = refusal !== undefined

/** What a test says of a connection beside its address. */
export interface Extra {
  readonly host?: string
  readonly port?: number
  readonly user?: string
  readonly password?: string | (() => Promise<string>)
  readonly ssl?: ConnectionOptions
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

/** The client libraries, each as an application uses it. */
export const libraries = { pg: poolOf, postgres: sqlOf } as const

export const libraryNames = ['pg', 'postgres'] as const

export function bringPostgres(order?: SqlOrder): Promise<SqlServer> {
  return bringSqlServer('PostgreSQL', order)
}

/** One client, with what it was told. */
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
  settings: Partial<StoreSettings> = {},
): Client {
  const messages: Message[] = []
  const errors: unknown[] = []
  let missed = 0
  const listener: InboxListener = {
    message: (message) => messages.push(message),
    missed: () => {
      missed += 1
    },
  }
  const onError = (error: unknown): void => {
    errors.push(error)
  }
  const id = randomUUID()
  const rows = new PostgresRows(connectionsLike(client), checkPostgresOptions(options))
  const session = rows.openRows(
    {
      schedule: new Schedule(new SystemClock(), onError),
      clientId: id,
      watchdogLeaseMs: 30_000,
      quarantineMs: 0,
      commandTimeoutMs: 10_000,
      onError,
      ...settings,
    },
    listener,
  )
  return { id, session, messages, errors, missed: () => missed }
}
