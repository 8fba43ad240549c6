import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Library } from '../../drivers/library.js'
import type { Place } from '../../drivers/place.js'
import { type Prepared, sessionsAt } from './session.js'

/** `lockAtMostFor`. */
const LEASE_MS = 30_000

interface Statements {
  readonly insert: Prepared
  readonly update: Prepared
  readonly unlock: Prepared
}

/** ShedLock's `PostgresSqlServerTimeStatementsSource`; parameters: name, lease in µs, who. */
const NOW = "timezone('utc', CURRENT_TIMESTAMP)"
const UNTIL = `${NOW} + $2 * interval '1 microsecond'`
const postgres: Statements = {
  insert: {
    name: 'insert',
    text: `INSERT INTO shedlock(name, lock_until, locked_at, locked_by) VALUES ($1, ${UNTIL}, ${NOW}, $3)
ON CONFLICT (name) DO UPDATE SET lock_until = ${UNTIL}, locked_at = ${NOW}, locked_by = $3
WHERE shedlock.lock_until <= ${NOW}`,
  },
  update: {
    name: 'update',
    text: `UPDATE shedlock SET lock_until = ${UNTIL}, locked_at = ${NOW}, locked_by = $3
WHERE name = $1 AND lock_until <= ${NOW}`,
  },
  unlock: {
    name: 'unlock',
    text: `UPDATE shedlock SET lock_until = ${NOW} WHERE name = $1 AND locked_by = $2`,
  },
}

/** ShedLock's `MySqlServerTimeStatementsSource`. */
const UTC = 'UTC_TIMESTAMP(3)'
const mysql = {
  insert: {
    name: 'insert',
    text: `INSERT IGNORE INTO shedlock(name, lock_until, locked_at, locked_by)
VALUES (?, TIMESTAMPADD(MICROSECOND, ?, ${UTC}), ${UTC}, ?)`,
  },
  update: {
    name: 'update',
    text: `UPDATE shedlock SET lock_until = TIMESTAMPADD(MICROSECOND, ?, ${UTC}), locked_at = ${UTC}, locked_by = ?
WHERE name = ? AND lock_until <= ${UTC}`,
  },
  unlock: {
    name: 'unlock',
    text: `UPDATE shedlock SET lock_until = ${UTC} WHERE name = ? AND locked_by = ?`,
  },
} satisfies Statements

/** ShedLock's statements in ShedLock's order, sent again after so long while somebody else has the lock. */
export async function openPolling(place: Place, pauseMs: number): Promise<Library> {
  const sessions = await sessionsAt(place)
  const by = `${hostname()}:${process.pid}`
  const onPostgres = place.system === 'PostgreSQL'
  const { insert, update, unlock } = onPostgres ? postgres : mysql
  const known = new Set<string>()
  const lease = LEASE_MS * 1_000

  const taken = async (key: string): Promise<boolean> => {
    // As ShedLock: the row is made once by each process, or found to be there.
    if (!known.has(key)) {
      known.add(key)
      if ((await sessions.run(insert, [key, lease, by])) > 0) return true
    }
    return (await sessions.run(update, onPostgres ? [key, lease, by] : [lease, by, key])) > 0
  }

  return {
    version: sessions.version,
    async section(key, body) {
      while (!(await taken(key))) await sleep(pauseMs)
      const working = body()
      if (working) await working
      await sessions.run(unlock, [key, by])
    },
    close: () => sessions.close(),
  }
}
