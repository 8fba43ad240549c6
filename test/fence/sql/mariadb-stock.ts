import { createPool, type Pool } from 'mariadb'
import { StaleFenceError } from '../../../src/base/errors/stale-fence-error.js'
import type { SqlAddress } from '../../servers/sql/index.js'
import type { Stock } from './stock.js'

const UPDATE = 'UPDATE stock SET amount = ?, fence = ? WHERE item = ? AND fence <= ?'
const SELECT = 'SELECT amount, fence FROM stock WHERE item = ?'
const PUT = `
  INSERT INTO stock (item, amount, fence) VALUES (?, ?, ?)
  ON DUPLICATE KEY UPDATE
    amount = IF(fence <= VALUES(fence), VALUES(amount), amount),
    fence = GREATEST(fence, VALUES(fence))
  RETURNING fence`

export class MariadbStock implements Stock {
  readonly statements = [UPDATE, PUT]
  readonly #pool: Pool

  constructor({ host, port, user, password, database }: SqlAddress) {
    this.#pool = createPool({ host, port, user, password, database, connectionLimit: 4 })
  }

  async create(): Promise<void> {
    await this.#pool.query(
      'CREATE TABLE stock (item varchar(80) PRIMARY KEY, amount int NOT NULL, fence bigint NOT NULL DEFAULT 0)',
    )
  }

  async update(item: string, amount: number, fence: bigint): Promise<void> {
    const { affectedRows } = await this.#pool.query<{ affectedRows: number }>(UPDATE, [
      amount,
      fence,
      item,
      fence,
    ])
    if (affectedRows === 0) await this.#refuse(item, fence)
  }

  async put(item: string, amount: number, fence: bigint): Promise<void> {
    const [row] = await this.#pool.query<Array<{ fence: bigint }>>(PUT, [item, amount, fence])
    if (row && row.fence > fence) throw new StaleFenceError(`stock ${item}`, fence, row.fence)
  }

  async read(item: string): Promise<{ amount: number; fence: bigint } | undefined> {
    const [row] = await this.#pool.query<Array<{ amount: number; fence: bigint }>>(SELECT, [item])
    return row && { amount: row.amount, fence: row.fence }
  }

  async updateOpen(item: string, amount: number, fence: bigint): Promise<() => Promise<void>> {
    const connection = await this.#pool.getConnection()
    await connection.beginTransaction()
    await connection.query(UPDATE, [amount, fence, item, fence])
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

  async end(): Promise<void> {
    await this.#pool.end()
  }

  async #refuse(item: string, fence: bigint): Promise<never> {
    const row = await this.read(item)
    if (row) throw new StaleFenceError(`stock ${item}`, fence, row.fence)
    throw new Error(`there is no item ${item}`)
  }
}
