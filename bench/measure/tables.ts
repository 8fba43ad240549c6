/** The tables of the peers, as a migration would make them. Holdfast makes the text of its own. */
export const peerTables = {
  PostgreSQL: [
    // As its README has it, but for the length of names.
    `CREATE TABLE shedlock(name VARCHAR(255) NOT NULL, lock_until TIMESTAMP NOT NULL, locked_at TIMESTAMP NOT NULL,
      locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))`,
    `CREATE TABLE verrou(key VARCHAR(255) NOT NULL PRIMARY KEY, owner VARCHAR(255) NOT NULL, expiration BIGINT)`,
  ],
  MySQL: [
    `CREATE TABLE shedlock(name VARCHAR(255) NOT NULL, lock_until TIMESTAMP(3) NOT NULL,
      locked_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))`,
    'CREATE TABLE verrou(`key` VARCHAR(255) NOT NULL PRIMARY KEY, owner VARCHAR(255) NOT NULL, expiration BIGINT UNSIGNED)',
  ],
} as const

export const tableNames = ['holdfast_locks', 'shedlock', 'verrou'] as const
