/** The table of MySQL and MariaDB whose rows {@link transactionLock} locks. */
export const namesTable = 'holdfast_names'

/**
 * The statement that makes the table `holdfast_names`, which `transactionLock` needs in MySQL and MariaDB. A user of the lock needs the
 * right to INSERT into it, and with `shared: false` to UPDATE it. A row stays when its lock ends; it may be deleted at any time.
 */
export function mysqlNamesSchema(): string {
  return `CREATE TABLE IF NOT EXISTS ${namesTable} (
  name varbinary(255) NOT NULL PRIMARY KEY,
  created timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
) ENGINE=InnoDB`
}
