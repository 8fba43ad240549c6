import { unhang } from './bell.js'
import type { Clients } from './clients.js'
import type { Database } from './database.js'

/** The most rows that one transaction removes, since others have to wait for it. */
const MOST = 1_000

/** How often somebody cleans up a file, and each client looks whether somebody has. */
export const CLEAN_UP_MS = 60 * 60_000

/** Whether nobody has cleaned up for so long. */
export function isDue(database: Database): boolean {
  const cleanedAt = database.one('SELECT cleaned_at FROM holdfast_machine')
  return typeof cleanedAt === 'number' && Math.abs(database.now - cleanedAt) >= CLEAN_UP_MS
}

/**
 * Removes rows in which nobody has held anything for `retainMs` (a lease that ended so long ago counts too), and ended clients. Returns
 * whether there may be more. Tokens go on growing: the first one of a new row is the clock's time, which is later than that of every earlier
 * token, also after the next start of the machine.
 */
export function cleanUp(database: Database, clients: Clients, retainMs: number): boolean {
  const before = database.now - retainMs
  const removed = database.run(
    `DELETE FROM holdfast_rows WHERE (keyspace, name) IN (
      SELECT keyspace, name FROM holdfast_rows
      WHERE changed_at < ?1 AND (waiting = '' AND rest IS NULL 
          OR CASE WHEN rest LIKE '{"until":%' THEN json_extract(rest, '$.until') < ?1 END)
        AND (ends_at IS NULL AND holds = 0 OR ends_at < ?1) LIMIT ?2)`,
    before,
    MOST,
  )
  for (const client of clients.forget(database)) unhang(database.file, client)
  if (removed === MOST) return true
  database.run('UPDATE holdfast_machine SET cleaned_at = ?', database.now)
  return false
}
