/** What a lock costs, and that it leaves the connection as the application had it. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import {
  LockTimeoutError,
  rowLock,
  type SqlConnection,
  transactionLock,
} from '../../src/transactions/index.js'
import { onDrivers } from './drivers.js'

const SETTINGS = {
  PostgreSQL: "SELECT current_setting('lock_timeout') AS wait, current_setting('statement_timeout') AS time",
  MariaDB:
    'SELECT @@innodb_lock_wait_timeout AS wait, @@lock_wait_timeout AS tables, @@max_statement_time AS time',
  MySQL:
    'SELECT @@innodb_lock_wait_timeout AS wait, @@lock_wait_timeout AS tables, @@max_execution_time AS time',
} as const

const CHANGES = {
  PostgreSQL: ["SET lock_timeout = '7s'", "SET LOCAL statement_timeout = '8s'"],
  MariaDB: ['SET SESSION innodb_lock_wait_timeout = 7, lock_wait_timeout = 9, max_statement_time = 8'],
  MySQL: ['SET SESSION innodb_lock_wait_timeout = 7, lock_wait_timeout = 9, max_execution_time = 8000'],
} as const

const ROW = 'SELECT * FROM row_of WHERE number = 1 FOR UPDATE'

/** Counts what is sent over a connection; each is one round trip. */
function counted(tx: SqlConnection): { readonly tx: SqlConnection; readonly sent: string[] } {
  const sent: string[] = []
  const proxy = new Proxy(tx, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property)
      if (typeof value !== 'function') return value
      return (...values: unknown[]): unknown => {
        if (property === 'query' || property === 'unsafe') sent.push(String(values[0]))
        return Reflect.apply(value, target, values)
      }
    },
  })
  return { tx: proxy, sent }
}

await onDrivers((stand, product) => {
  test('the settings are as before, whether the lock was had or not', async () => {
    await stand.table('row_of', 'number int NOT NULL PRIMARY KEY', '(1)')
    const holder = await stand.holding('set')
    await holder.query(ROW)
    const other = await stand.begin()
    for (const change of CHANGES[product]) await other.query(change)
    const before = await other.query(SETTINGS[product])
    await expect(transactionLock(other.tx, 'set', { waitMs: 50 })).rejects.toBeInstanceOf(LockTimeoutError)
    await expect(rowLock(other.tx, ROW, { waitMs: 50 })).rejects.toBeInstanceOf(LockTimeoutError)
    expect(await other.query(SETTINGS[product])).toEqual(before)
    const granted = transactionLock(other.tx, 'set', { waitMs: 15_000 })
    await stand.untilWaiting()
    await holder.commit()
    await granted
    await rowLock(other.tx, ROW, { waitMs: 500 })
    expect(await other.query(SETTINGS[product])).toEqual(before)
    await other.commit()
  })

  test.each([2 ** 31, 2 ** 32, 4 * 10 ** 10, Number.MAX_SAFE_INTEGER, Infinity])(
    'waitMs %d is no more than the server takes',
    async (waitMs) => {
      await stand.table('row_of', 'number int NOT NULL PRIMARY KEY')
      const { tx, query } = await stand.begin()
      if (product !== 'PostgreSQL') await query("SET SESSION sql_mode = 'TRADITIONAL'")
      await transactionLock(tx, `long ${waitMs}`, { waitMs })
      await rowLock(tx, 'SELECT * FROM row_of FOR UPDATE', { waitMs })
    },
  )

  test('the savepoints are as before, even of the same name', async () => {
    await stand.table('saved', 'number int NOT NULL')
    await (await stand.holding('known')).commit()
    const holder = await stand.holding('held')
    const other = await stand.begin()
    await other.query('SAVEPOINT holdfast')
    await other.query('INSERT INTO saved VALUES (1)')
    await other.query('SAVEPOINT own')
    await transactionLock(other.tx, 'known')
    for (const waitMs of [0, 50])
      await expect(transactionLock(other.tx, 'held', { waitMs })).rejects.toBeInstanceOf(LockTimeoutError)
    await other.query('INSERT INTO saved VALUES (2)')
    await other.query('ROLLBACK TO SAVEPOINT own')
    await other.query('RELEASE SAVEPOINT own')
    expect(await other.query('SELECT * FROM saved')).toEqual([{ number: 1 }])
    // PostgreSQL gives back what was locked after the savepoint; the other two keep the lock on a row that is there.
    const known = stand.holding('known', { waitMs: 0 })
    if (product === 'PostgreSQL') await (await known).rollback()
    else await expect(known).rejects.toBeInstanceOf(LockTimeoutError)
    await other.query('ROLLBACK TO SAVEPOINT holdfast')
    expect(await other.query('SELECT * FROM saved')).toEqual([])
    // InnoDB was not yet part of the transaction when that savepoint was set.
    await stand.holding('known', { waitMs: 0 })
    await holder.rollback()
  })

  test('a lock that is free costs one round trip', async () => {
    const { tx, sent } = counted((await stand.begin()).tx)
    const trips = async (waitMs: number | undefined): Promise<number> => {
      const before = sent.length
      await transactionLock(tx, `counted ${waitMs}`, waitMs === undefined ? {} : { waitMs })
      return sent.length - before
    }
    expect(await trips(undefined)).toBe(1)
    // What server it is, is asked once for a connection; MySQL takes limits for a connection only.
    await trips(1)
    expect(await trips(0)).toBe(product === 'MySQL' ? 3 : 1)
    expect(await trips(1_000)).toBe(product === 'MySQL' ? 3 : 1)
  })

  test('the page shows these statements', async () => {
    const page = spaced(await readFile(new URL('../../docs/transactions.md', import.meta.url), 'utf8'))
    const holder = await stand.holding('invoice:42')
    const { tx, sent } = counted((await stand.begin()).tx)
    const granted = transactionLock(tx, 'invoice:42', { waitMs: 2_000 })
    await stand.untilWaiting()
    await holder.commit()
    await granted
    await transactionLock(tx, 'invoice:42')
    // The times depend on how long the call has taken so far.
    const statements = sent
      .flatMap((text) => text.split('; '))
      .filter((text) => !/^SET STATEMENT|VERSION/.test(text))
    for (const statement of statements) expect(page).toContain(spaced(statement).replace(/ = \d+$/, ' = '))
  })

  test.runIf(product === 'PostgreSQL')(
    'above READ COMMITTED a write after the lock is refused rather than lost',
    async () => {
      await stand.table('stale', 'number int NOT NULL', '(0)')
      const [first, second] = [await stand.begin('REPEATABLE READ'), await stand.begin('REPEATABLE READ')]
      await transactionLock(first.tx, 'stale')
      const granted = transactionLock(second.tx, 'stale')
      await stand.untilWaiting()
      await first.query('UPDATE stale SET number = 1')
      await first.commit()
      await granted
      // It saw the data before it waited.
      expect(await second.query('SELECT number FROM stale')).toEqual([{ number: 0 }])
      await expect(second.query('UPDATE stale SET number = 1')).rejects.toMatchObject({ code: '40001' })
      await second.rollback().catch(() => undefined)
    },
  )
})

function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
