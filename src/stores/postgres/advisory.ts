import { StoreError } from '../../base/errors/errors.js'
import { codeOf } from '../../base/errors/is-error.js'
import { encodedLabel, withLabel, withoutLabel } from '../../base/identity/label.js'
import { isOwner } from '../../base/identity/owner.js'
import type { Store, StoreSettings } from '../../port/store.js'
import type { StoreTraits } from '../../port/store-traits.js'
import { advisoryKeyOf } from '../../transactions/transaction-lock.js'
import { aText } from '../rows/parts.js'
import type { Attempted, Holder, Lease, ServerLocks } from '../server-locks/server-locks.js'
import { serverLockStore, serverLockTraits } from '../server-locks/store.js'
import { named, number, oneOf, only, type SqlConnection, type SqlRow, text } from '../sql/connection.js'
import { Connector } from '../sql/connector.js'
import { question } from '../sql/question.js'
import type { ListeningConnection } from './connection.js'
import { PostgresDialect } from './dialect.js'
import { type PgPool, pgConnections } from './pg-connection.js'

/**
 * PostgreSQL's own session locks as a store, for `new Holdfast(advisory(pool))`: `lock`, `multiLock` and `stripedLock`. It has no table and
 * writes nothing to disk. But each held or awaited lock takes a connection and ends with it, so a failover, a restart or
 * `pg_terminate_backend` frees it at once, before its holder can know. It refuses a pooler that shares connections, and has no tokens, no
 * lists and no order across processes. Before PostgreSQL 14 the server does not end a silent connection: a process that stands still
 * keeps its locks until it goes on. See docs/postgres.md.
 *
 * `transactionLock` uses the same keys: the two exclude each other under one name.
 *
 * @param pool says where the server is and how to log in, as for {@link postgres}.
 * @throws InvalidArgumentError for a pool that is none of `pg`.
 */
export function advisory(pool: PgPool): Store {
  const makeConnection = pgConnections(pool)
  return serverLockStore((settings) => {
    const dialect = new PostgresDialect(makeConnection, settings)
    return new AdvisoryLocks(dialect, settings)
  }, advisoryTraits)
}

/** A call that waits does so in the server: no message comes. */
export const advisoryTraits: Partial<StoreTraits> = { ...serverLockTraits, namesHolder: true }

const KEY = '$1::bigint'
/** The halves of a key are where `pg_locks` has them. */
const SAME_LOCK = `l.locktype = 'advisory' AND l.objsubid = 1 AND (l.classid::bigint << 32 | l.objid::bigint) = ${KEY}
  AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())`

const HOLDER = `SELECT l.pid::text AS id, s.application_name AS label,
  (extract(epoch FROM clock_timestamp() - s.state_change) * 1000)::bigint::text AS silent_ms
  FROM pg_locks AS l LEFT JOIN pg_stat_activity AS s ON s.pid = l.pid WHERE l.granted AND ${SAME_LOCK}`

const advisoryStatements = named('holdfast_advisory', {
  id: 'SELECT pg_backend_pid()::text AS id',
  lease: `SELECT set_config('application_name', $2, false), CASE WHEN current_setting('idle_session_timeout', true) IS NOT NULL
  THEN set_config('idle_session_timeout', $1, false) END`,
  // The connection has its owner's name, so that others see who has the lock.
  attempt: `
WITH attempt AS MATERIALIZED (SELECT set_config('application_name', $2, false), pg_try_advisory_lock(${KEY}) AS taken)
SELECT a.taken::text AS taken, h.* FROM attempt AS a LEFT JOIN LATERAL (${HOLDER} AND NOT a.taken LIMIT 1) AS h ON true`,
  limit: `SELECT set_config('lock_timeout', $1, false)`,
  wait: `SELECT pg_advisory_lock(${KEY})::text`,
  free: `SELECT pg_advisory_unlock(${KEY})::text AS freed`,
  holder: HOLDER,
  waiting: `SELECT count(*)::text AS waiting FROM pg_locks AS l WHERE NOT l.granted AND ${SAME_LOCK}`,
  end: 'SELECT pg_terminate_backend($1::int)',
})

/** The greatest of the server's times. */
const LONGEST_MS = 2 ** 31 - 1

class AdvisoryLocks implements ServerLocks {
  readonly connector: Connector<ListeningConnection>

  constructor(
    private readonly dialect: PostgresDialect,
    private readonly settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs'>,
  ) {
    this.connector = new Connector(dialect, settings)
  }

  lease(connection: SqlConnection, lease: Lease, withinMs?: number): Promise<unknown> {
    const values = [String(idleMs(lease)), applicationName(lease)]
    return this.connector.ask(connection, question(advisoryStatements.lease, values), withinMs)
  }

  async attempt(connection: SqlConnection, name: string, lease: Lease): Promise<Attempted> {
    if (this.dialect.pooled) throw pooled(name)
    const values = [advisoryKeyOf(name), applicationName(lease)]
    return await this.connector.read(connection, question(advisoryStatements.attempt, values), (rows) => {
      const taken = oneOf(only(rows), 'taken', 'true', 'false') === 'true'
      return { taken, holder: holderIn(rows) }
    })
  }

  async wait(connection: SqlConnection, name: string, waitMs: number): Promise<boolean> {
    await this.connector.ask(connection, question(advisoryStatements.limit, [String(waitMs)]))
    try {
      const withinMs = waitMs + this.settings.commandTimeoutMs
      await this.connector.ask(connection, question(advisoryStatements.wait, [advisoryKeyOf(name)]), withinMs)
      return true
    } catch (error) {
      if (isTimeout(error)) return false
      throw error
    }
  }

  free(connection: SqlConnection, name: string): Promise<unknown> {
    return this.connector.ask(connection, question(advisoryStatements.free, [advisoryKeyOf(name)]))
  }

  idOf(connection: SqlConnection): Promise<string> {
    return this.connector.read(connection, question(advisoryStatements.id, []), (rows) =>
      aText(only(rows)['id'], 'id'),
    )
  }

  holderOf(connection: SqlConnection, name: string): Promise<Holder | undefined> {
    return this.connector.read(
      connection,
      question(advisoryStatements.holder, [advisoryKeyOf(name)]),
      holderIn,
    )
  }

  waitingFor(connection: SqlConnection, name: string): Promise<number> {
    return this.connector.read(
      connection,
      question(advisoryStatements.waiting, [advisoryKeyOf(name)]),
      (rows) => number(only(rows), 'waiting'),
    )
  }

  end(connection: SqlConnection, id: string): Promise<unknown> {
    return this.connector.ask(connection, question(advisoryStatements.end, [id]))
  }
}

/** The server keeps so many bytes of the name of a connection. */
const LONGEST_NAME = 63

/** 0 is no limit. */
function idleMs({ leaseMs }: Lease): number {
  return leaseMs < LONGEST_MS ? Math.ceil(leaseMs) : 0
}

/**
 * The connection's `application_name`, which other clients and readers of `pg_stat_activity` see: its owner, and as much of the label as
 * the server keeps.
 */
function applicationName(lease: Lease): string {
  return `${withoutLabel(lease.owner)} ${idleMs(lease)} ${encodedLabel(lease.owner)}`.slice(0, LONGEST_NAME)
}

/** More than one may share it. */
function holderIn([row]: readonly SqlRow[]): Holder | undefined {
  const id = row && text(row, 'id')
  if (!row || id === undefined) return undefined
  const [unlabelled = '', leaseMs = '0', label = ''] = (text(row, 'label') ?? '').split(' ')
  const owner = label === '' ? unlabelled : withLabel(unlabelled, label)
  // Anything else is a lock of a transaction, or of a user whose connections this one may not see.
  if (!isOwner(owner)) return { id, owner: undefined, remainingMs: Infinity }
  const silentMs = row['silent_ms'] === null ? 0 : number(row, 'silent_ms')
  return { id, owner, remainingMs: Number(leaseMs) === 0 ? Infinity : Number(leaseMs) - silentMs }
}

function isTimeout(error: unknown): boolean {
  return error instanceof StoreError && codeOf(error.cause) === '55P03'
}

function pooled(lockName: string): StoreError {
  return new StoreError('not-ready', 'pg_advisory_lock', {
    lockName,
    transient: false,
    hint: 'A connection pooler stands between Holdfast and PostgreSQL. It hands a connection, and the locks that it holds, to the next client. Connect to the server directly.',
  })
}
