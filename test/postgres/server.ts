import { randomUUID } from 'node:crypto'
import pg, { type Pool } from 'pg'
import type { StoreSettings } from '../../src/ports/store.js'
import { checkPostgresOptions, type PostgresOptions } from '../../src/postgres/options.js'
import { pgConnections } from '../../src/postgres/pg-connection.js'
import { PostgresRows } from '../../src/postgres/rows.js'
import type { PostgresSession } from '../../src/postgres/session.js'
import type { InboxListener, Message } from '../../src/rows/rows.js'
import { SystemClock } from '../../src/time/clock.js'
import { Schedule } from '../../src/time/schedule.js'
import { bringSqlServer, type SqlAddress, type SqlServer, whyNot } from '../servers/sql/index.js'

const refusal = await whyNot('PostgreSQL')

export const title = refusal === undefined ? 'PostgreSQL' : `PostgreSQL: skipped (${refusal})`
export const missing = refusal !== undefined

export function poolOf({ dir, port, user, database }: SqlAddress): pg.Pool {
  const pool = new pg.Pool({ host: dir, port, user, database })
  // Of connections that break while idle: when the server is stopped.
  pool.on('error', () => undefined)
  return pool
}

export function bringPostgres(): Promise<SqlServer> {
  return bringSqlServer('PostgreSQL')
}

/** One client, with what it was told. */
export interface Client {
  readonly id: string
  readonly session: PostgresSession
  readonly messages: Message[]
  readonly errors: unknown[]
  /** How often messages may have been missed. */
  readonly missed: () => number
}

export function openClient(
  pool: Pool,
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
  const rows = new PostgresRows(pgConnections(pool), checkPostgresOptions(options))
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
