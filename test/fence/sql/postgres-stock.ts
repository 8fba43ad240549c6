import pg from 'pg'
import { StaleFenceError } from '../../../src/base/errors/stale-fence-error.js'
import type { SqlAddress } from '../../servers/sql/index.js'
import type { Stock } from './stock.js'

const UPDATE = 'UPDATE stock SET amount = $1, fence = $2 WHERE item = $3 AND fence <= $2'
const SELECT = 'SELECT amount, fence FROM stock WHERE item = $1'
const PUT = `
  INSERT INTO stock (item, amount, fence) VALUES ($1, $2, $3)
  ON CONFLICT (item) DO UPDATE SET amount = excluded.amount, fence = excluded.fence
  WHERE stock.fence <= excluded.fence`

export class PostgresStock implements Stock {
  readonly statements = [UPDATE, PUT]
  readonly #pool: pg.Pool

  constructor({ host, port, user, password, database }: SqlAddress) {
    this.#pool = new pg.Pool({ host, port, user, password, database })
  }

  async create(): Promise<void> {
    await this.#pool.query(
      'CREATE TABLE stock (item text PRIMARY KEY, amount integer NOT NULL, fence bigint NOT NULL DEFAULT 0)',
    )
  }

  async update(item: string, amount: number, fence: bigint): Promise<void> {
    const { rowCount } = await this.#pool.query(UPDATE, [amount, fence, item])
    if (rowCount === 0) await this.#refuse(item, fence)
  }

  async put(item: string, amount: number, fence: bigint): Promise<void> {
    const { rowCount } = await this.#pool.query(PUT, [item, amount, fence])
    if (rowCount === 0) await this.#refuse(item, fence)
  }

  async read(item: string): Promise<{ amount: number; fence: bigint } | undefined> {
    const { rows } = await this.#pool.query<{ amount: number; fence: string }>(SELECT, [item])
    const [row] = rows
    return row && { amount: row.amount, fence: BigInt(row.fence) }
  }

  async updateOpen(item: string, amount: number, fence: bigint): Promise<() => Promise<void>> {
    const client = await this.#pool.connect()
    await client.query('BEGIN')
    await client.query(UPDATE, [amount, fence, item])
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

  async end(): Promise<void> {
    await this.#pool.end()
  }

  async #refuse(item: string, fence: bigint): Promise<never> {
    const row = await this.read(item)
    if (row) throw new StaleFenceError(`stock ${item}`, fence, row.fence)
    throw new Error(`there is no item ${item}`)
  }
}
