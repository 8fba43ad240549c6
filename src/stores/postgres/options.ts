import { checkObject, whole } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { DEFAULT_TABLE, type PostgresSchemaOptions, postgresSchema } from './schema.js'
import { quoteTable } from './table-name.js'

/** How {@link postgres} keeps locks. */
export interface PostgresOptions extends PostgresSchemaOptions {
  /**
   * Creates the table if there is none; needs the right to create tables there.
   * @default false: no DDL is ever run
   */
  readonly createTable?: boolean | undefined
  /**
   * How many connections for commands one client opens at most, beside the one on which it listens. Minimum: 1.
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
export interface PostgresSettings {
  /** In SQL. */
  readonly table: string
  /** The SQL that creates it, with `createTable`. */
  readonly createTable: string | undefined
  readonly connections: number
  readonly retainMs: number
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

export function checkPostgresOptions(options: PostgresOptions): PostgresSettings {
  checkObject('options', options, ['table', 'createTable', 'connections', 'retainMs'])
  const { table = DEFAULT_TABLE, createTable = false, connections, retainMs } = options
  if (typeof createTable !== 'boolean') {
    throw new InvalidArgumentError('createTable', createTable, 'true or false')
  }
  return {
    table: quoteTable(table),
    createTable: createTable ? postgresSchema({ table }) : undefined,
    connections: whole('connections', connections, 1, 'connections') ?? 4,
    retainMs: whole('retainMs', retainMs, MINUTE_MS) ?? DAY_MS,
  }
}
