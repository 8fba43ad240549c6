/** What the application has set for its connection: the shape of answers, and how values are read. */
import { createConnection as connectMariadb } from 'mariadb'
import { createConnection as connectMysql2 } from 'mysql2/promise'
import { expect, onTestFinished, test } from 'vitest'
import {
  LockTimeoutError,
  mysqlNamesSchema,
  rowLock,
  type SqlConnection,
  sql,
  transactionLock,
  updateVersioned,
} from '../../src/transactions/index.js'
import { onDatabases } from '../setup/databases.js'
import { loginOf } from './application.js'

type Driver = 'mysql2' | 'mariadb'

const buffered = (field: { buffer(): unknown }): unknown => field.buffer()
const both = [
  { rowsAsArray: true },
  { nestTables: true },
  { nestTables: '_' },
  { namedPlaceholders: true },
  { typeCast: buffered },
]
const cases: ReadonlyArray<[Driver, object]> = [
  ...both.flatMap((options): [Driver, object][] => [
    ['mysql2', options],
    ['mariadb', options],
  ]),
  ['mysql2', { dateStrings: true, supportBigNumbers: true, bigNumberStrings: true }],
  ['mariadb', { metaAsArray: true }],
]

await onDatabases(['MariaDB', 'MySQL'], (database) => {
  type Own = SqlConnection & { query(text: string): Promise<unknown> }
  async function connect(driver: Driver, options: object): Promise<Own> {
    const login = { ...loginOf(database().address), ...options }
    const connection =
      driver === 'mysql2'
        ? await connectMysql2(login)
        : await connectMariadb({ allowPublicKeyRetrieval: true, ...login })
    onTestFinished(() => connection.destroy())
    return connection
  }

  test.each(cases)('%s, %o: the same locks', async (driver, options) => {
    const holder = await connect('mysql2', { multipleStatements: true })
    await holder.query(`${mysqlNamesSchema()}; DROP TABLE IF EXISTS stock;
      CREATE TABLE stock (item varchar(40) PRIMARY KEY); INSERT INTO stock VALUES ('bolts'), ('nuts');
      START TRANSACTION`)
    await transactionLock(holder, 'held')
    const bolts = sql`SELECT item FROM stock WHERE item = ${'bolts'} FOR UPDATE`
    await rowLock(holder, bolts)
    const other = await connect(driver, options)
    await other.query('START TRANSACTION')
    await transactionLock(other, 'free', { waitMs: 500 })
    await expect(transactionLock(other, 'held', { waitMs: 100 })).rejects.toBeInstanceOf(LockTimeoutError)
    await expect(rowLock(other, bolts, { waitMs: 100 })).rejects.toBeInstanceOf(LockTimeoutError)
    // There is no call that does without, as tryAcquire() is for other locks.
    await expect(transactionLock(other, 'held', { waitMs: 0 })).rejects.toThrow(/Wait longer \(waitMs\)\.$/)
    await expect(rowLock(other, bolts, { waitMs: 50 })).rejects.toThrow(/Wait longer \(waitMs\)\.$/)
    const aborted = transactionLock(other, 'held', { signal: AbortSignal.timeout(100) })
    await expect(aborted).rejects.toMatchObject({ name: 'TimeoutError' })
    const rows = await rowLock(other, sql`SELECT item FROM stock WHERE item = ${'nuts'} FOR UPDATE`)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).toMatch(/nuts|110,117,116,115/)
  })

  test('mariadb, metaAsArray: a row is changed', async () => {
    const own = await connect('mariadb', { metaAsArray: true })
    await own.query('DROP TABLE IF EXISTS counted')
    await own.query('CREATE TABLE counted (id int PRIMARY KEY, number int, version int NOT NULL)')
    await own.query('INSERT INTO counted VALUES (1, 1, 1)')
    const row = await updateVersioned(own, { table: 'counted', key: { id: 1 } }, () => ({ number: 2 }))
    expect(row).toEqual({ id: 1, number: 2, version: 2 })
  })
})
