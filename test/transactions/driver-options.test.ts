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

await onDatabases(['MariaDB', 'MySQL'], (database) => {
  type Own = SqlConnection & { query(text: string): Promise<unknown> }
  async function mysql2(options: object): Promise<Own> {
    const { host, port, user, password, database: name } = database().address
    const connection = await connectMysql2({ host, port, user, password, database: name, ...options })
    onTestFinished(() => connection.destroy())
    return connection
  }
  async function mariadb(options: object): Promise<Own> {
    const { host, port, user, password, database: name } = database().address
    const place = { host, port, user, password, database: name, allowPublicKeyRetrieval: true }
    const connection = await connectMariadb({ ...place, ...options })
    onTestFinished(() => connection.destroy())
    return connection
  }
  const buffered = { typeCast: (field: { buffer(): unknown }): unknown => field.buffer() }
  const cases: ReadonlyArray<[string, () => Promise<Own>]> = [
    ['mysql2, rowsAsArray', () => mysql2({ rowsAsArray: true })],
    ['mysql2, nestTables', () => mysql2({ nestTables: true })],
    ['mysql2, nestTables _', () => mysql2({ nestTables: '_' })],
    ['mysql2, namedPlaceholders', () => mysql2({ namedPlaceholders: true })],
    ['mysql2, typeCast', () => mysql2(buffered)],
    ['mysql2, strings', () => mysql2({ dateStrings: true, supportBigNumbers: true, bigNumberStrings: true })],
    ['mariadb, rowsAsArray', () => mariadb({ rowsAsArray: true })],
    ['mariadb, nestTables', () => mariadb({ nestTables: true })],
    ['mariadb, nestTables _', () => mariadb({ nestTables: '_' })],
    ['mariadb, metaAsArray', () => mariadb({ metaAsArray: true })],
    ['mariadb, namedPlaceholders', () => mariadb({ namedPlaceholders: true })],
    ['mariadb, typeCast', () => mariadb(buffered)],
  ]

  test.each(cases)('%s: the same locks', async (_options, connect) => {
    const holder = await mysql2({})
    await holder.query(mysqlNamesSchema())
    await holder.query('DROP TABLE IF EXISTS stock')
    await holder.query('CREATE TABLE stock (item varchar(40) PRIMARY KEY)')
    await holder.query("INSERT INTO stock VALUES ('bolts'), ('nuts')")
    await holder.query('START TRANSACTION')
    await transactionLock(holder, 'held')
    const bolts = sql`SELECT item FROM stock WHERE item = ${'bolts'} FOR UPDATE`
    await rowLock(holder, bolts)
    const other = await connect()
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
    const own = await mariadb({ metaAsArray: true })
    await own.query('DROP TABLE IF EXISTS counted')
    await own.query('CREATE TABLE counted (id int PRIMARY KEY, number int, version int NOT NULL)')
    await own.query('INSERT INTO counted VALUES (1, 1, 1)')
    const row = await updateVersioned(own, { table: 'counted', key: { id: 1 } }, () => ({ number: 2 }))
    expect(row).toEqual({ id: 1, number: 2, version: 2 })
  })
})
