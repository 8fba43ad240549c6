import { join } from 'node:path'
import process from 'node:process'
import { findDriver } from '../../../src/stores/sqlite/driver.js'
import type { Open } from '../../drivers/library.js'

/** A row of the same columns as Holdfast's. */
const TABLE = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE IF NOT EXISTS rows (
  keyspace TEXT NOT NULL, name TEXT NOT NULL, owner TEXT, holds INTEGER NOT NULL, ends_at REAL, fence INTEGER,
  waiting TEXT NOT NULL, rest TEXT, changed_at REAL NOT NULL, PRIMARY KEY (keyspace, name)
) WITHOUT ROWID;
`
const TAKE = `
INSERT INTO rows VALUES ('lock', ?1, ?2, 1, ?3, NULL, '', NULL, ?4)
ON CONFLICT DO UPDATE SET owner = excluded.owner, holds = 1, ends_at = excluded.ends_at, changed_at = excluded.changed_at
WHERE owner IS NULL OR ends_at <= ?4
RETURNING 1`
const FREE = `
UPDATE rows SET owner = NULL, holds = 0, ends_at = NULL, changed_at = ?3
WHERE keyspace = 'lock' AND name = ?1 AND owner = ?2
RETURNING 1`

/** What SQLite itself takes for a lock and its release, over the client that Holdfast takes: two statements, each a transaction. */
export const open: Open = ({ folder = '.' }) => {
  const connection = findDriver()(join(folder, 'bare.db'))
  connection.exec(TABLE)
  const take = connection.prepare(TAKE)
  const free = connection.prepare(FREE)
  return {
    version: `Node ${process.versions.node}`,
    async section(key, body) {
      const now = Date.now()
      take.all(key, 'owner', now + 30_000, now)
      await body()
      free.all(key, 'owner', now)
    },
    close: async () => connection.close(),
  }
}
