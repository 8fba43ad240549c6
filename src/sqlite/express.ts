import type { Express } from '../rows/rows.js'
import type { Database } from './database.js'
import type { Transactions } from './transactions.js'

type Take = Parameters<Express['take']>[0]
type Renewals = Parameters<Express['renew']>[0]

const TAKE = `
INSERT INTO holdfast_rows VALUES ('lock', ?1, ?2, 1, ?3, CASE WHEN ?4 THEN ?5 END, '', NULL, ?6)
ON CONFLICT DO UPDATE SET owner = excluded.owner, holds = 1, ends_at = excluded.ends_at, changed_at = excluded.changed_at,
  fence = CASE WHEN ?4 THEN coalesce(fence + 1, ?5) ELSE fence END
WHERE (owner IS NULL OR ends_at <= ?6) AND waiting = '' AND rest IS NULL
RETURNING CAST(coalesce(fence, 0) AS TEXT)`

const FREE = `
UPDATE holdfast_rows SET owner = NULL, holds = 0, ends_at = NULL, changed_at = ?3
WHERE keyspace = 'lock' AND name = ?1 AND owner = ?2 AND holds = 1 AND ends_at > ?3 AND waiting = '' AND rest IS NULL
RETURNING 1`

const RENEW = `
UPDATE holdfast_rows SET ends_at = max(ends_at, ?3), changed_at = ?4
WHERE keyspace = 'lock' AND name = ?1 AND owner = ?2 AND ends_at > ?4
RETURNING 1`

/** A lock that nobody waits for, in half the time of a change: its row is not read, unpacked and packed. */
export class SqliteExpress implements Express {
  constructor(
    /** The open database, if nothing has to be done first. */
    private readonly ready: () => Database | undefined,
    private readonly transactions: Transactions,
  ) {}

  async take({ name, owner, leaseMs, fenced }: Take): Promise<bigint | undefined> {
    const fence = this.#write((database, now) =>
      database.all(TAKE, name, owner, now + leaseMs, fenced ? 1 : 0, Math.floor(now * 1_000), now),
    )
    return typeof fence === 'string' ? BigInt(fence) : undefined
  }

  async free(name: string, owner: string): Promise<boolean> {
    return this.#write((database, now) => database.all(FREE, name, owner, now)) !== undefined
  }

  /** In one transaction. */
  renew(requests: Renewals): readonly Promise<boolean>[] {
    return requests.map(({ name, owner, leaseMs, withinMs }) =>
      this.transactions.add(
        { command: 'renew', lockName: name },
        (database) => {
          const { now } = database
          const renewed = database.all(RENEW, name, owner, now + leaseMs, now).length > 0
          return () => renewed
        },
        withinMs,
      ),
    )
  }

  /** The first value of the row that was written. Undefined after a failure too: the change that follows says what is wrong. */
  #write(write: (database: Database, now: number) => ReturnType<Database['all']>): unknown {
    const database = this.ready()
    if (!database) return undefined
    try {
      // Not by itself: libsql ends a statement that returns a row, and with it a transaction of its own, only when it is used again.
      database.begin()
      const [row] = write(database, database.now)
      database.commit()
      return row?.[0]
    } catch {
      database.rollback()
      return undefined
    }
  }
}
