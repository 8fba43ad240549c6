import { checkObject } from '../../base/checks/checks.js'
import { checkTableOptions, type TableSettings } from '../sql/options.js'
import { type PostgresSchemaOptions, postgresSchema, quoteTable } from './schema.js'

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

export function checkPostgresOptions(options: PostgresOptions): TableSettings {
  checkObject('options', options, ['table', 'createTable', 'connections', 'retainMs'])
  return checkTableOptions(options, quoteTable, postgresSchema)
}
