import { createHash } from 'node:crypto'
import { checkObject } from '../../base/checks/checks.js'
import type { Store, StoreSettings } from '../../port/store.js'
import { aText } from '../rows/parts.js'
import type { Attempted, Holder, Lease, ServerLocks } from '../server-locks/server-locks.js'
import { serverLockStore, serverLockTraits } from '../server-locks/store.js'
import { named, oneOf, only, type SqlConnection, type SqlRow, text } from '../sql/connection.js'
import { Connector } from '../sql/connector.js'
import { question } from '../sql/question.js'
import { isPool, type MysqlPool } from './client.js'
import { mysqlDialect } from './dialect.js'
import { connectOf, type MysqlOptions } from './options.js'

/**
 * `GET_LOCK` of MySQL (8.0 or later) and MariaDB (10.6 or later) as a store, for `new Holdfast(getLock(pool))`: `lock`, `multiLock` and
 * `stripedLock`. It has no table and writes nothing to disk. But each held or awaited lock takes a connection and ends with it, so a
 * failover, a restart or `KILL` frees it at once, before its holder can know. The servers of a cluster do not know each other's locks; a
 * proxy that shares connections breaks it unnoticed. There are no tokens, no names of holders, no lists and no order. Leases are whole
 * seconds, rounded up. See docs/mysql.md.
 *
 * @throws InvalidArgumentError for bad options.
 */
export function getLock(client: MysqlPool | Pick<MysqlOptions, 'connect'>): Store {
  const connect = connectOf(client)
  if (!isPool(client)) checkObject('options', client, ['connect'])
  return serverLockStore((settings) => new GetLocks(connect, settings), getLockTraits)
}

/** A lease is the server's `wait_timeout`, in whole seconds. */
const getLockTraits = { ...serverLockTraits, leastLeaseMs: 1_000 } as const

const getLockStatements = named('holdfast_get_lock', {
  id: 'SELECT CAST(CONNECTION_ID() AS CHAR) AS id',
  take: 'SELECT CAST(GET_LOCK(?, ?) AS CHAR) AS taken',
  free: 'SELECT CAST(RELEASE_LOCK(?) AS CHAR) AS freed',
  holder: 'SELECT CAST(IS_USED_LOCK(?) AS CHAR) AS id',
})

const LONGEST_LEASE_S = 31_536_000

class GetLocks implements ServerLocks {
  readonly connector: Connector

  constructor(
    connect: MysqlOptions['connect'],
    private readonly settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs'>,
  ) {
    this.connector = new Connector(mysqlDialect(connect, settings), settings)
  }

  lease(connection: SqlConnection, { leaseMs }: Lease, withinMs?: number): Promise<unknown> {
    const seconds = Math.min(Math.max(Math.ceil(leaseMs / 1_000), 1), LONGEST_LEASE_S)
    const statement = { name: 'lease', text: `SET SESSION wait_timeout = ${seconds}` }
    return this.connector.ask(connection, question(statement, []), withinMs)
  }

  async attempt(connection: SqlConnection, name: string): Promise<Attempted> {
    return { taken: await this.#take(connection, name, 0) }
  }

  wait(connection: SqlConnection, name: string, waitMs: number): Promise<boolean> {
    // No statement may take longer than commands do.
    const seconds = Math.ceil(Math.min(waitMs, this.settings.commandTimeoutMs / 2) / 1_000)
    return this.#take(connection, name, seconds)
  }

  free(connection: SqlConnection, name: string): Promise<unknown> {
    return this.connector.ask(connection, question(getLockStatements.free, [keyOf(name)]))
  }

  idOf(connection: SqlConnection): Promise<string> {
    return this.connector.read(connection, question(getLockStatements.id, []), (rows) =>
      aText(only(rows)['id'], 'id'),
    )
  }

  async holderOf(connection: SqlConnection, name: string): Promise<Holder | undefined> {
    const id = await this.connector.read(
      connection,
      question(getLockStatements.holder, [keyOf(name)]),
      (rows) => text(only(rows), 'id'),
    )
    return id === undefined ? undefined : { id, owner: undefined, remainingMs: Infinity }
  }

  /** The servers tell that only to those that may see everything. */
  async waitingFor(): Promise<undefined> {}

  async end(connection: SqlConnection, id: string): Promise<unknown> {
    // One that has ended already is an error.
    const statement = { name: 'end', text: `KILL ${Number(id)}` }
    return await this.connector.ask(connection, question(statement)).catch(() => undefined)
  }

  async #take(connection: SqlConnection, name: string, seconds: number): Promise<boolean> {
    const timeoutMs = seconds * 1_000 + this.settings.commandTimeoutMs
    const values = [keyOf(name), String(seconds)]
    // Null if something kept the server from it.
    const taken = (rows: readonly SqlRow[]): boolean =>
      text(only(rows), 'taken') !== undefined && oneOf(only(rows), 'taken', '0', '1') === '1'
    return await this.connector.read(connection, question(getLockStatements.take, values), taken, timeoutMs)
  }
}

/** Names have 64 characters at most there, and their case does not count. */
function keyOf(name: string): string {
  return `holdfast:${createHash('sha256').update(name).digest('hex').slice(0, 48)}`
}
