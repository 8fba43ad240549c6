/** What can go wrong while a transaction waits for its lock, and what is left of it then. */
import { createPool as mariadbPool } from 'mariadb'
import { createConnection as withCallbacks } from 'mariadb/callback'
import { createPool as mysql2Pool } from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import {
  DeadlockError,
  InvalidArgumentError,
  LockTimeoutError,
  NoTransactionError,
  rowLock,
  type SqlConnection,
  StoreError,
  sql,
  transactionLock,
} from '../../src/transactions/index.js'
import { loginOf } from './application.js'
import { onDrivers } from './drivers.js'

const AT_ONCE = { waitMs: 0 }

const lockedRow = sql`SELECT * FROM locked WHERE number = ${1} FOR UPDATE`
const calls: ReadonlyArray<[string, (tx: SqlConnection) => Promise<unknown>]> = [
  ['transactionLock', (tx) => transactionLock(tx, 'a', { waitMs: 1_000 })],
  ['transactionLock without a limit', (tx) => transactionLock(tx, 'a')],
  ['rowLock', (tx) => rowLock(tx, lockedRow, { waitMs: 1_000 })],
  ['rowLock without a limit', (tx) => rowLock(tx, lockedRow)],
]

await onDrivers((stand, product) => {
  test.each([undefined, 60_000])(
    'an abort ends the wait, and the transaction goes on: waitMs %s',
    async (waitMs) => {
      await stand.table('kept', 'number int NOT NULL')
      const holder = await stand.holding('aborted')
      const waiter = await stand.begin()
      await waiter.query('INSERT INTO kept VALUES (1)')
      const controller = new AbortController()
      const options = { signal: controller.signal, ...(waitMs === undefined ? {} : { waitMs }) }
      const refused = rejectionOf(transactionLock(waiter.tx, 'aborted', options))
      await stand.untilWaiting()
      const reason = new Error('no longer wanted')
      controller.abort(reason)
      expect(await refused).toBe(reason)
      await waiter.query('INSERT INTO kept VALUES (2)')
      await waiter.commit()
      const rows = await stand.query('SELECT number FROM kept ORDER BY number')
      expect(rows).toEqual([{ number: 1 }, { number: 2 }])
      await holder.commit()
      await stand.holding('aborted', AT_ONCE)
    },
  )

  test('a signal that was aborted before sends nothing', async () => {
    const reason = new Error('before')
    const { tx } = await stand.begin()
    await expect(transactionLock(tx, 'never', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await stand.holding('never', AT_ONCE)
  })

  test('an abort has no effect once the lock is held', async () => {
    const controller = new AbortController()
    const holder = await stand.holding('kept', { signal: controller.signal, waitMs: 10_000 })
    controller.abort()
    await holder.query('SELECT 1')
    await expect(stand.holding('kept', AT_ONCE)).rejects.toBeInstanceOf(LockTimeoutError)
  })

  test('of two that wait for each other one is told, and the other gets the lock', async () => {
    const [one, two] = [await stand.holding('left'), await stand.holding('right')]
    const winners: (typeof one)[] = []
    const take = async (own: typeof one, name: string): Promise<void> => {
      const error: unknown = await transactionLock(own.tx, name, { waitMs: 30_000 }).catch(
        (reason: unknown) => reason,
      )
      if (error === undefined) {
        winners.push(own)
        return
      }
      expect(error).toBeInstanceOf(DeadlockError)
      expect(error).toMatchObject({ code: 'DEADLOCK', lockName: name })
      await own.rollback()
    }
    await Promise.all([take(one, 'right'), take(two, 'left')])
    expect(winners).toHaveLength(1)
    await winners[0]?.commit()
    for (const name of ['left', 'right']) await stand.holding(name, AT_ONCE)
  })

  test('a connection killed while it waits is an error of the store', async () => {
    const holder = await stand.holding('killed')
    const waiter = await stand.begin()
    const end = await stand.kill(waiter)
    const failed = rejectionOf(transactionLock(waiter.tx, 'killed', { waitMs: 60_000 }))
    await stand.untilWaiting()
    await end()
    const error = await failed
    expect(error).toBeInstanceOf(StoreError)
    expect(error).toMatchObject({ reason: 'unreachable', transient: true, lockName: 'killed' })
    // On a connection that is gone each statement of the driver `postgres` throws where nobody can catch it.
    if (stand.driver !== 'postgres')
      await expect(transactionLock(waiter.tx, 'killed')).rejects.toBeInstanceOf(StoreError)
    await holder.commit()
    await stand.holding('killed', AT_ONCE)
  })

  test.skipIf(product === 'PostgreSQL')('without the table the error says how to make it', async () => {
    await stand.query('RENAME TABLE holdfast_names TO elsewhere')
    const error = await rejectionOf(stand.holding('a'))
    await stand.query('RENAME TABLE elsewhere TO holdfast_names')
    const message = expect.stringContaining('mysqlNamesSchema()')
    expect(error).toMatchObject({ code: 'STORE_ERROR', message })
  })

  test.skipIf(product !== 'PostgreSQL')('a transaction that has failed already says so', async () => {
    const { tx, query } = await stand.begin()
    await query('SELECT 1 / 0').catch(() => undefined)
    const message = expect.stringContaining('roll back first')
    expect(await rejectionOf(transactionLock(tx, 'a'))).toMatchObject({ code: 'STORE_ERROR', message })
  })

  test('a statement limit of the application ends the wait too', async () => {
    await stand.holding('limited')
    const { tx, query } = await stand.begin()
    const [limit, told] =
      product === 'PostgreSQL'
        ? ["SET LOCAL statement_timeout = '100ms'", { code: 'STORE_ERROR', reason: 'timeout' }]
        : ['SET SESSION innodb_lock_wait_timeout = 1', { code: 'LOCK_TIMEOUT' }]
    await query(limit)
    expect(await rejectionOf(transactionLock(tx, 'limited'))).toMatchObject(told)
    await query('SELECT 1')
  })

  test.skipIf(product === 'PostgreSQL')(
    'a limit of the application on statements is told from the end of a wait',
    async () => {
      await stand.table('free', 'number int NOT NULL PRIMARY KEY', '(1)')
      const { tx, query } = await stand.begin()
      const limit = product === 'MySQL' ? 'max_execution_time = 5' : 'max_statement_time = 0.005'
      await query(`SET SESSION ${limit}`)
      // Far longer than the limit, whenever the server looks at its clock.
      const many =
        'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT count(*)'
      const slow = `SELECT number, (${many} FROM n a, n b, n c) FROM free FOR UPDATE`
      const told = { code: 'STORE_ERROR', reason: 'timeout' }
      for (const options of [{}, AT_ONCE, { waitMs: 10 }])
        await expect(rowLock(tx, slow, options)).rejects.toMatchObject(told)
    },
  )

  test.skipIf(product === 'PostgreSQL').each([0, 300])(
    'a wait for a table ends in time, waitMs %i',
    async (waitMs) => {
      await stand.table('rows_of', 'number int NOT NULL PRIMARY KEY')
      const holder = await stand.begin()
      const { tx } = await stand.begin()
      for (const [table, lock] of [
        ['rows_of', () => rowLock(tx, 'SELECT * FROM rows_of FOR UPDATE', { waitMs })],
        ['holdfast_names', () => transactionLock(tx, 'beside', { waitMs })],
      ] as const) {
        await holder.query(`LOCK TABLES ${table} WRITE`)
        // If it waited on, the test would not end.
        await expect(lock()).rejects.toBeInstanceOf(LockTimeoutError)
        await holder.query('UNLOCK TABLES')
      }
    },
  )

  test.each(calls)('%s without a transaction says what to do', async (_call, call) => {
    await stand.table('locked', 'number int NOT NULL PRIMARY KEY')
    const { tx, commit } = await stand.begin()
    await commit()
    await expect(call(tx)).rejects.toBeInstanceOf(NoTransactionError)
    const login = loginOf(stand.address)
    const refuses = (given: object) =>
      expect(Promise.resolve(Reflect.apply(call, undefined, [given]))).rejects.toBeInstanceOf(
        InvalidArgumentError,
      )
    const pools =
      product === 'PostgreSQL'
        ? [new pg.Pool(login), postgres(login)]
        : [mysql2Pool(login), mariadbPool(login)]
    for (const pool of pools) {
      await refuses(pool)
      await pool.end()
    }
    if (product === 'PostgreSQL') return
    const calling = withCallbacks({ ...login, allowPublicKeyRetrieval: true })
    await refuses(calling)
    calling.end(() => undefined)
  })
})

describe('what is no connection', () => {
  const call = (...values: unknown[]) =>
    expect(Promise.resolve(Reflect.apply(transactionLock, undefined, values))).rejects.toBeInstanceOf(
      InvalidArgumentError,
    )

  test.each([[null], [undefined], [42], ['a'], [{}], [() => 1], [{ query: 1 }], [{ query: () => 1 }]])(
    '%s is refused',
    (value) => call(value, 'a'),
  )

  test.each([
    { waitMs: -1 },
    { waitMs: 1.5 },
    { waitMs: Number.NaN },
    { signal: 1 },
    { shared: 1 },
    { wait: 1 },
  ])('nor is the option %j taken', async (options) => {
    const tx = { query: (): never => expect.unreachable(), getTypeParser: () => 1 }
    await call(tx, 'a', options)
    await call(tx, '')
  })
})
