import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { StoreSettings } from '../../src/ports/store.js'
import { checkPostgresOptions, type PostgresOptions } from '../../src/postgres/options.js'
import { pgConnections } from '../../src/postgres/pg-connection.js'
import { PostgresRows } from '../../src/postgres/rows.js'
import type { PostgresSession } from '../../src/postgres/session.js'
import type { InboxListener, Message } from '../../src/rows/rows.js'
import { SystemClock } from '../../src/time/clock.js'
import { Schedule } from '../../src/time/schedule.js'
import { postgres, postgresPool } from '../fence/sql/postgres.js'
import { bringSqlServer, findProduct, type SqlServer } from '../fence/sql/sql-server.js'

const installed = await findProduct(postgres)

export const title = installed
  ? 'PostgreSQL'
  : 'PostgreSQL is not on this machine: skipped (apt-get install postgresql)'
export const missing = installed === undefined

export { postgresPool as poolOf }

export async function bringPostgres(): Promise<SqlServer> {
  if (!installed) throw new Error(title)
  return await bringSqlServer(postgres, installed)
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
