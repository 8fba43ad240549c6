import { DEFAULT_TABLE } from '../sql/options.js'
import { tableQuoter } from '../sql/table-name.js'

export interface MysqlSchemaOptions {
  /**
   * The table that keeps the locks, with its database if that is not the connection's.
   * @default 'holdfast_locks'
   */
  readonly table?: string | undefined
}

/** MySQL and MariaDB refuse longer identifiers. */
const LONGEST = 64

/** What no identifier can have: NUL, characters of more than two bytes of UTF-16, a space at its end. */
const IMPOSSIBLE = /[\0\u{10000}-\u{10ffff}]|\s$/u

export const quoteTable = tableQuoter(
  '`',
  `${LONGEST} characters`,
  (name) => name.length <= LONGEST && !IMPOSSIBLE.test(name),
)

/**
 * The SQL that creates the table of `mysql()`, for a migration: one statement, which does nothing if there is such a table.
 *
 * @throws InvalidArgumentError for a name that is none.
 */
export function mysqlSchema({ table = DEFAULT_TABLE }: MysqlSchemaOptions = {}): string {
  // Names are bytes: what differs in case, accents or trailing spaces is another lock, whatever the collation of the database.
  return `CREATE TABLE IF NOT EXISTS ${quoteTable(table)} (
  keyspace VARBINARY(16) NOT NULL,
  name VARBINARY(512) NOT NULL,
  full_name LONGTEXT CHARACTER SET ascii COLLATE ascii_bin NULL,
  version BIGINT NOT NULL,
  owner VARCHAR(320) CHARACTER SET ascii COLLATE ascii_bin NULL,
  holds BIGINT NOT NULL,
  ends_at DATETIME(6) NULL COMMENT 'UTC',
  fence BIGINT NULL,
  rest LONGTEXT CHARACTER SET ascii COLLATE ascii_bin NULL,
  PRIMARY KEY (keyspace, name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`
}
