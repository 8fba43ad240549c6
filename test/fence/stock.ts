/** A table whose rows remember the token they were written under: the statements of docs/fencing.md, over each product. */
import { createPool } from 'mariadb'
import pg from 'pg'
import { StaleFenceError } from '../../src/base/errors/stale-fence-error.js'
import type { ProductName, SqlAddress } from '../servers/sql/index.js'

interface Row {
  readonly amount: number
  readonly fence: bigint
}

type Values = ReadonlyArray<string | number | bigint>

export abstract class Stock {
  abstract readonly statements: readonly string[]

  /** Runs it, and says how many rows it has changed. */
  protected abstract change(statement: string, values: Values): Promise<number>
  protected abstract row(item: string): Promise<{ amount: number; fence: bigint | string } | undefined>
  abstract update(item: string, amount: number, fence: bigint): Promise<void>
  abstract put(item: string, amount: number, fence: bigint): Promise<void>
  /** Changes a row in a transaction that stays open until the function it returns is called. */
  abstract updateOpen(item: string, amount: number, fence: bigint): Promise<() => Promise<void>>
  /** How many sessions wait for a lock on a row; of MariaDB's, those of other test files too. */
  abstract blocked(): Promise<number>
  abstract end(): Promise<void>

  async create(): Promise<void> {
    const columns = 'item varchar(80) PRIMARY KEY, amount integer NOT NULL, fence bigint NOT NULL DEFAULT 0'
    await this.change(`CREATE TABLE stock (${columns})`, [])
  }

  async read(item: string): Promise<Row | undefined> {
    const row = await this.row(item)
    return row && { amount: row.amount, fence: BigInt(row.fence) }
  }

  /** Changes the row of that item, unless a newer writer has been there. */
  protected async write(statement: string, values: Values, item: string, fence: bigint): Promise<void> {
    if ((await this.change(statement, values)) > 0) return
    const row = await this.read(item)
    if (!row) throw new Error(`there is no item ${item}`)
    throw new StaleFenceError(`stock ${item}`, fence, row.fence)
  }
}

class PostgresStock extends Stock {
  readonly statements = [
    'UPDATE stock SET amount = $1, fence = $2 WHERE item = $3 AND fence <= $2',
    `INSERT INTO stock (item, amount, fence) VALUES ($1, $2, $3)
     ON CONFLICT (item) DO UPDATE SET amount = excluded.amount, fence = excluded.fence
     WHERE stock.fence <= excluded.fence`,
  ] as const
  readonly #pool: pg.Pool

  constructor({ host, port, user, password, database }: SqlAddress) {
    super()
    this.#pool = new pg.Pool({ host, port, user, password, database })
  }

  update(item: string, amount: number, fence: bigint): Promise<void> {
    return this.write(this.statements[0], [amount, fence, item], item, fence)
  }

  put(item: string, amount: number, fence: bigint): Promise<void> {
    return this.write(this.statements[1], [item, amount, fence], item, fence)
  }

  async updateOpen(item: string, amount: number, fence: bigint): Promise<() => Promise<void>> {
    const client = await this.#pool.connect()
    await client.query('BEGIN')
    await client.query(this.statements[0], [amount, fence, item])
    return async () => {
      await client.query('COMMIT')
      client.release()
    }
  }

  async blocked(): Promise<number> {
    const { rows } = await this.#pool.query<{ waiting: number }>(
      "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    )
    return rows[0]?.waiting ?? 0
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  protected async change(statement: string, values: Values): Promise<number> {
    return (await this.#pool.query(statement, [...values])).rowCount ?? 0
  }

  protected async row(item: string) {
    const select = 'SELECT amount, fence FROM stock WHERE item = $1'
    return (await this.#pool.query<{ amount: number; fence: string }>(select, [item])).rows[0]
  }
}

class MariadbStock extends Stock {
  readonly statements = [
    'UPDATE stock SET amount = ?, fence = ? WHERE item = ? AND fence <= ?',
    `INSERT INTO stock (item, amount, fence) VALUES (?, ?, ?)
     ON DUPLICATE KEY UPDATE
       amount = IF(fence <= VALUES(fence), VALUES(amount), amount),
       fence = GREATEST(fence, VALUES(fence))
     RETURNING fence`,
  ] as const
  readonly #pool: ReturnType<typeof createPool>

  constructor({ host, port, user, password, database }: SqlAddress) {
    super()
    this.#pool = createPool({ host, port, user, password, database, connectionLimit: 4 })
  }

  update(item: string, amount: number, fence: bigint): Promise<void> {
    return this.write(this.statements[0], [amount, fence, item, fence], item, fence)
  }

  async put(item: string, amount: number, fence: bigint): Promise<void> {
    const [row] = await this.#pool.query<Row[]>(this.statements[1], [item, amount, fence])
    if (row && row.fence > fence) throw new StaleFenceError(`stock ${item}`, fence, row.fence)
  }

  async updateOpen(item: string, amount: number, fence: bigint): Promise<() => Promise<void>> {
    const connection = await this.#pool.getConnection()
    await connection.beginTransaction()
    await connection.query(this.statements[0], [amount, fence, item, fence])
    return async () => {
      await connection.commit()
      await connection.release()
    }
  }

  async blocked(): Promise<number> {
    // Not what information_schema has, which is not taken anew while somebody keeps looking.
    const [row] = await this.#pool.query<Array<{ Value: string }>>(
      "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'",
    )
    return Number(row?.Value ?? 0)
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  protected async change(statement: string, values: Values): Promise<number> {
    return (await this.#pool.query<{ affectedRows: number }>(statement, values)).affectedRows
  }

  protected async row(item: string) {
    return (await this.#pool.query<Row[]>('SELECT amount, fence FROM stock WHERE item = ?', [item]))[0]
  }
}

export function stockOf(product: ProductName, address: SqlAddress): Stock {
  return product === 'PostgreSQL' ? new PostgresStock(address) : new MariadbStock(address)
}
