import { DEFAULT_TABLE } from '../sql/options.js'
import { tableQuoter } from '../sql/table-name.js'

/** Which table {@link postgresSchema} creates. */
export interface PostgresSchemaOptions {
  /**
   * The table that keeps the locks, with its schema if that is not the first of the search path.
   * @default 'holdfast_locks'
   */
  readonly table?: string | undefined
}

/** PostgreSQL cuts longer identifiers short, so that two names would be one. */
const LONGEST_BYTES = 63

export const quoteTable = tableQuoter(
  '"',
  `${LONGEST_BYTES} bytes`,
  (name) => Buffer.byteLength(name) <= LONGEST_BYTES && !name.includes('\0'),
)

/**
 * The SQL that creates the table of {@link postgres}, for a migration: one statement, which does nothing if there is such a table.
 * `holdfast schema postgres` prints it.
 *
 * @throws InvalidArgumentError for a name that is none.
 */
export function postgresSchema({ table = DEFAULT_TABLE }: PostgresSchemaOptions = {}): string {
  // No index on what changes, and room on each page: an update stays on its page and costs no index entry (HOT).
  return `CREATE TABLE IF NOT EXISTS ${quoteTable(table)} (
  keyspace text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  full_name json,
  version bigint NOT NULL,
  owner text,
  holds bigint NOT NULL,
  ends_at timestamptz,
  fence bigint,
  waiting text[] NOT NULL,
  rest json,
  PRIMARY KEY (keyspace, name)
) WITH (fillfactor = 70)`
}
