import { named } from '../sql/connection.js'

const EPOCH = "TIMESTAMP'1970-01-01 00:00:00'"

/**
 * The server's clock when the statement began, whatever the time zone. A statement that waited for a row knows an older time, which is on
 * the safe side: by an older time less has ended, and the lease that it gives ends sooner. It is never older than the time at which the
 * client sent the statement, and from that the client counts.
 */
const MICROSECONDS = `TIMESTAMPDIFF(MICROSECOND, ${EPOCH}, UTC_TIMESTAMP(6))`

/**
 * The version of a changed row: the time of the change in microseconds, so that it tells the age of a row too. It only grows, also from a
 * deleted row to the next one of that name.
 */
const NEXT_VERSION = `GREATEST(version + 1, ${MICROSECONDS})`

const NUMBER = 'CAST(? AS SIGNED)'

/** When a lease of that many microseconds from now on ends. */
const END = `UTC_TIMESTAMP(6) + INTERVAL ${NUMBER} MICROSECOND`

/** How many rows one statement renews or deletes. */
export const BATCH = 100

/** All statements for locks in that table, whose name is in SQL. */
export function statementsFor(table: string) {
  const key = 'keyspace = ? AND name = ?'
  const held = 'ends_at > UTC_TIMESTAMP(6)'
  // True if the lock is free. Columns of this condition come last in an assignment, which goes from left to right.
  const free = '(ends_at IS NULL OR ends_at <= UTC_TIMESTAMP(6)) AND rest IS NULL'
  const anyOf = (condition: string): string =>
    Array.from({ length: BATCH }, () => `(${condition})`).join(' OR ')
  // Many rows by their keys, locked but for those that somebody else has locked: they keep no other waiting.
  const locked = (columns: string, condition: string): string => `(
  SELECT ${columns} FROM ${table} FORCE INDEX (PRIMARY) WHERE ${condition} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) AS l
STRAIGHT_JOIN ${table} AS r FORCE INDEX (PRIMARY)`
  // A row that nobody ever sees, and that no other transaction gets past while it may come to be. Sent by the application's connection.
  const tie = [
    `INSERT INTO ${table} (keyspace, name, version, holds) VALUES ('tie', ?, 0, 0)`,
    `DELETE FROM ${table} WHERE keyspace = 'tie' AND name = ?`,
  ]
  const statements = named('holdfast', {
    exists: `SELECT 1 AS found FROM ${table} LIMIT 1`,
    // One row in any case, since the caller needs the clock even without a lock's row.
    read: `
SELECT CAST(r.version AS CHAR) AS version, r.owner AS owner, CAST(r.holds AS CHAR) AS holds,
  CAST(TIMESTAMPDIFF(MICROSECOND, ${EPOCH}, r.ends_at) AS CHAR) AS ends_at, CAST(r.fence AS CHAR) AS fence,
  r.rest AS rest, CAST(${MICROSECONDS} AS CHAR) AS now
FROM (SELECT 1 AS one) AS o LEFT JOIN ${table} AS r ON r.keyspace = ? AND r.name = ?`,
    // The server refuses this at once while a transaction keeps the tie. Otherwise it finds none, after a commit or a rollback.
    tieEnded: `
SELECT 1 AS found FROM ${table} WHERE keyspace = 'tie' AND name = ?
/*!80000 FOR SHARE NOWAIT */ /*M!100600 LOCK IN SHARE MODE NOWAIT */`,
    insert: `
INSERT INTO ${table} (owner, holds, ends_at, fence, rest, keyspace, name, full_name, version)
VALUES (?, ${NUMBER}, ${EPOCH} + INTERVAL ${NUMBER} MICROSECOND, ${NUMBER}, ?, ?, ?, ?, ${MICROSECONDS})`,
    update: `
UPDATE ${table} SET version = ${NEXT_VERSION}, owner = ?, holds = ${NUMBER},
  ends_at = ${EPOCH} + INTERVAL ${NUMBER} MICROSECOND, fence = ${NUMBER}, rest = ?
WHERE ${key} AND version = ${NUMBER}`,
    // The answer's insert id is the token, or 0 where it is not free.
    take: `
INSERT INTO ${table} (keyspace, name, full_name, version, owner, holds, ends_at, fence)
VALUES ('lock', ?, ?, ${MICROSECONDS}, ?, 1, ${END}, LAST_INSERT_ID(${MICROSECONDS}))
ON DUPLICATE KEY UPDATE
  fence = IF(${free}, LAST_INSERT_ID(GREATEST(COALESCE(fence + 1, 0), ${MICROSECONDS})), fence + LAST_INSERT_ID(0)),
  version = IF(${free}, ${NEXT_VERSION}, version),
  owner = IF(${free}, ?, owner),
  holds = IF(${free}, 1, holds),
  ends_at = IF(${free}, ${END}, ends_at)`,
    free: `
UPDATE ${table} SET version = ${NEXT_VERSION}, owner = NULL, holds = 0, ends_at = NULL
WHERE keyspace = 'lock' AND name = ? AND owner = ? AND holds = 1 AND rest IS NULL AND ${held}`,
    renew: `
UPDATE ${table} SET version = ${NEXT_VERSION}, ends_at = GREATEST(ends_at, ${END})
WHERE keyspace = 'lock' AND name = ? AND owner = ? AND ${held}`,
    renewAll: `
UPDATE ${locked('name', `keyspace = 'lock' AND ${held} AND (${anyOf('name = ? AND owner = ?')})`)}
  ON r.keyspace = 'lock' AND r.name = l.name
SET r.version = GREATEST(r.version + 1, ${MICROSECONDS}), r.ends_at = GREATEST(r.ends_at, ${END})`,
    names: `
SELECT HEX(name) AS bytes, full_name FROM ${table}
WHERE keyspace = ? AND name > ? AND name LIKE ? ESCAPE '|' ORDER BY keyspace, name LIMIT 1000`,
    // Rows that say nothing: a new row of that name would be the same, but for a token, which then comes from the clock. A read finds them,
    // so that the deletion locks no row that stays.
    blank: `
SELECT HEX(keyspace) AS space, HEX(name) AS bytes, CAST(version AS CHAR) AS written FROM ${table}
WHERE version < ${MICROSECONDS} - ${NUMBER}
  AND (rest IS NULL OR CASE WHEN rest LIKE '{"until":%' THEN JSON_EXTRACT(rest, '$.until') * 1000 < ${MICROSECONDS} - ${NUMBER} END)
  AND (holds = 0 AND ends_at IS NULL OR ends_at < UTC_TIMESTAMP(6) - INTERVAL ${NUMBER} MICROSECOND)
LIMIT 1000`,
    delete: `
DELETE r FROM ${locked('keyspace, name', anyOf(`${key} AND version = ${NUMBER}`))}
  ON r.keyspace = l.keyspace AND r.name = l.name`,
  })
  return { ...statements, tie }
}

export type Statements = ReturnType<typeof statementsFor>
