import { checkObject } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { checkTableOptions, type TableSettings } from '../sql/options.js'
import { type Connect, connectLike, isPool, type MysqlPool, mysqlHint } from './client.js'
import { type MysqlSchemaOptions, mysqlSchema, quoteTable } from './schema.js'

export interface MysqlOptions extends MysqlSchemaOptions {
  /**
   * Opens one connection, with `createConnection(…)` of `mysql2/promise` or of `mariadb`. Holdfast calls it for each connection that it
   * needs, sets its session variables, and closes it; the application must not use that connection. With a pool write
   * `mysql(pool, options)` instead.
   */
  readonly connect: Connect
  /**
   * Creates the table if there is none; needs the right to create tables there.
   * @default false: no DDL is ever run
   */
  readonly createTable?: boolean | undefined
  /**
   * How many connections one client opens at most. Holdfast closes those that were idle for 10 seconds, but keeps one while the client
   * holds something or waits. Minimum: 1.
   * @default 4
   */
  readonly connections?: number | undefined
  /**
   * For how long a lock's row stays after its last use, in milliseconds. Tokens of a fenced lock grow after that too, unless somebody sets
   * the server's clock back by more than this. Minimum: 60000.
   * @default 86400000, a day
   */
  readonly retainMs?: number | undefined
}

/** The options, checked and with their defaults. */
export interface MysqlSettings extends TableSettings {
  readonly connect: Connect
}

/** @throws InvalidArgumentError for anything but a pool or an object with a function that connects. */
export function connectOf(client: MysqlPool | Pick<MysqlOptions, 'connect'>): Connect {
  if (isPool(client)) return connectLike(client)
  const given: unknown = client
  // Pools and connections of libraries, which emit events, may have a method of that name.
  if (typeof given === 'object' && given !== null && !('on' in given) && 'connect' in given)
    if (typeof given.connect === 'function') return client.connect
  const accepted = `a pool of mysql2 or mariadb, or { connect: () => … }${mysqlHint(given)}`
  throw new InvalidArgumentError('pool', given, accepted)
}

export function checkMysqlOptions(options: MysqlOptions): MysqlSettings {
  checkObject('options', options, ['connect', 'table', 'createTable', 'connections', 'retainMs'])
  return { connect: options.connect, ...checkTableOptions(options, quoteTable, mysqlSchema) }
}
