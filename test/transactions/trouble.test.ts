/** What can go wrong while a transaction waits for its lock, and what is left of it then. */
import { setTimeout as pause } from 'node:timers/promises'
import { createPool as mariadbPool } from 'mariadb'
import { createConnection as withCallbacks } from 'mariadb/callback'
import { createPool as mysql2Pool } from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
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
import { onDrivers } from './drivers.js'

await onDrivers((stand, product) => {
  test.each([undefined, 60_000])(
    'an abort ends the wait, and the transaction goes on: waitMs %s',
    async (waitMs) => {
      await stand.table('kept', 'number int NOT NULL')
      const holder = await stand.begin()
      await transactionLock(holder.tx, 'aborted')
      const waiter = await stand.begin()
      await waiter.query('INSERT INTO kept VALUES (1)')
      const controller = new AbortController()
      const options = { signal: controller.signal, ...(waitMs === undefined ? {} : { waitMs }) }
      const refused = transactionLock(waiter.tx, 'aborted', options).catch((error: unknown) => error)
      await stand.untilWaiting()
      const reason = new Error('no longer wanted')
      controller.abort(reason)
      expect(await refused).toBe(reason)
      await waiter.query('INSERT INTO kept VALUES (2)')
      await waiter.commit()
      expect(await stand.query('SELECT number FROM kept ORDER BY number')).toEqual([
        { number: 1 },
        { number: 2 },
      ])
      await holder.commit()
      await transactionLock((await stand.begin()).tx, 'aborted', { waitMs: 0 })
    },
  )

  test('a signal that was aborted before sends nothing', async () => {
    const { tx } = await stand.begin()
    const reason = new Error('before')
    await expect(transactionLock(tx, 'never', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await transactionLock((await stand.begin()).tx, 'never', { waitMs: 0 })
  })

  test('an abort has no effect once the lock is held', async () => {
    const controller = new AbortController()
    const holder = await stand.begin()
    await transactionLock(holder.tx, 'kept', { signal: controller.signal, waitMs: 10_000 })
    controller.abort()
    await holder.query('SELECT 1')
    const other = await stand.begin()
    await expect(transactionLock(other.tx, 'kept', { waitMs: 0 })).rejects.toBeInstanceOf(LockTimeoutError)
  })

  test('of two that wait for each other one is told, and the other gets the lock', async () => {
    const [one, two] = [await stand.begin(), await stand.begin()]
    await transactionLock(one.tx, 'left')
    await transactionLock(two.tx, 'right')
    const victims: string[] = []
    const take = async (own: typeof one, name: string, victim: string): Promise<void> => {
      await transactionLock(own.tx, name, { waitMs: 30_000 }).catch(async (error: unknown) => {
        expect(error).toBeInstanceOf(DeadlockError)
        expect(error).toMatchObject({ code: 'DEADLOCK', lockName: name })
        victims.push(victim)
        await own.rollback()
      })
    }
    await Promise.all([take(one, 'right', 'one'), take(two, 'left', 'two')])
    expect(victims).toHaveLength(1)
    const winner = victims[0] === 'one' ? two : one
    await winner.commit()
    const after = await stand.begin()
    await transactionLock(after.tx, 'left', { waitMs: 0 })
    await transactionLock(after.tx, 'right', { waitMs: 0 })
  })

  test('a connection killed while it waits is an error of the store', async () => {
    const holder = await stand.begin()
    await transactionLock(holder.tx, 'killed')
    const waiter = await stand.begin()
    const end = await stand.kill(waiter)
    const failed = transactionLock(waiter.tx, 'killed', { waitMs: 60_000 }).catch((error: unknown) => error)
    await stand.untilWaiting()
    await end()
    const error = await failed
    expect(error).toBeInstanceOf(StoreError)
    expect(error).toMatchObject({ reason: 'unreachable', transient: true, lockName: 'killed' })
    // On a connection that is gone each statement of the stand.driver `postgres` throws where nobody can catch it.
    if (stand.driver !== 'postgres') {
      await expect(transactionLock(waiter.tx, 'killed')).rejects.toBeInstanceOf(StoreError)
    }
    await holder.commit()
    await transactionLock((await stand.begin()).tx, 'killed', { waitMs: 0 })
  })

  test.skipIf(product === 'PostgreSQL')('without the table the error says how to make it', async () => {
    await stand.query('RENAME TABLE holdfast_names TO elsewhere')
    const { tx } = await stand.begin()
    const error = await transactionLock(tx, 'a').catch((reason: unknown) => reason)
    await stand.query('RENAME TABLE elsewhere TO holdfast_names')
    expect(error).toMatchObject({
      code: 'STORE_ERROR',
      message: expect.stringContaining('mysqlNamesSchema()'),
    })
  })

  test.skipIf(product !== 'PostgreSQL')('a transaction that has failed already says so', async () => {
    const { tx, query } = await stand.begin()
    await query('SELECT 1 / 0').catch(() => undefined)
    const error = await transactionLock(tx, 'a').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'STORE_ERROR', message: expect.stringContaining('roll back first') })
  })

  test('a statement limit of the application ends the wait too', async () => {
    const holder = await stand.begin()
    await transactionLock(holder.tx, 'limited')
    const waiter = await stand.begin()
    if (product === 'PostgreSQL') await waiter.query("SET LOCAL statement_timeout = '100ms'")
    else await waiter.query('SET SESSION innodb_lock_wait_timeout = 1')
    const error = await transactionLock(waiter.tx, 'limited').catch((reason: unknown) => reason)
    expect(error).toMatchObject(
      product === 'PostgreSQL' ? { code: 'STORE_ERROR', reason: 'timeout' } : { code: 'LOCK_TIMEOUT' },
    )
    await waiter.query('SELECT 1')
  })

  test.skipIf(product === 'PostgreSQL')(
    'a limit of the application on statements is told from the end of a wait',
    async () => {
      await stand.table('free', 'number int NOT NULL PRIMARY KEY', '(1)')
      const { tx, query } = await stand.begin()
      await query(
        `SET SESSION ${product === 'MySQL' ? 'max_execution_time = 5' : 'max_statement_time = 0.005'}`,
      )
      // Far longer than the limit, whenever the server looks at its clock.
      const many =
        'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT count(*)'
      const slow = `SELECT number, (${many} FROM n a, n b, n c) FROM free FOR UPDATE`
      for (const options of [{}, { waitMs: 0 }, { waitMs: 10 }]) {
        await expect(rowLock(tx, slow, options)).rejects.toMatchObject({
          code: 'STORE_ERROR',
          reason: 'timeout',
        })
      }
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
        const refused = await Promise.race([
          lock().catch((error: unknown) => error),
          pause(10_000, 'it waits on'),
        ])
        await holder.query('UNLOCK TABLES')
        expect(refused).toBeInstanceOf(LockTimeoutError)
      }
    },
  )
})

const calls: ReadonlyArray<[string, (tx: SqlConnection) => Promise<unknown>]> = [
  ['transactionLock', (tx) => transactionLock(tx, 'a', { waitMs: 1_000 })],
  ['transactionLock without a limit', (tx) => transactionLock(tx, 'a')],
  [
    'rowLock',
    (tx) => rowLock(tx, sql`SELECT * FROM locked WHERE number = ${1} FOR UPDATE`, { waitMs: 1_000 }),
  ],
  ['rowLock without a limit', (tx) => rowLock(tx, sql`SELECT * FROM locked WHERE number = ${1} FOR UPDATE`)],
]

await onDrivers((stand, product) => {
  test.each(calls)('%s without a transaction says what to do', async (_call, call) => {
    const { host, port, user, password, database } = stand.address
    await stand.table('locked', 'number int NOT NULL PRIMARY KEY')
    const over = await stand.begin()
    await over.commit()
    await expect(call(over.tx)).rejects.toBeInstanceOf(NoTransactionError)
    const place = { host, port, user, password, database }
    if (product === 'PostgreSQL') {
      const pool = new pg.Pool(place)
      await expect(call(pool)).rejects.toBeInstanceOf(InvalidArgumentError)
      await pool.end()
      const all = postgres(place)
      await expect(call(all)).rejects.toBeInstanceOf(InvalidArgumentError)
      await all.end()
      return
    }
    const calling = withCallbacks({ ...place, allowPublicKeyRetrieval: true })
    const refused = Promise.resolve(Reflect.apply(call, undefined, [calling]))
    await expect(refused).rejects.toBeInstanceOf(InvalidArgumentError)
    calling.end(() => undefined)
    const [one, other] = [mysql2Pool(place), mariadbPool(place)]
    await expect(call(one)).rejects.toBeInstanceOf(InvalidArgumentError)
    await expect(call(other)).rejects.toBeInstanceOf(InvalidArgumentError)
    await Promise.all([one.end(), other.end()])
  })
})

describe('what is no connection', () => {
  test.each([[null], [undefined], [42], ['a'], [{}], [() => 1], [{ query: 1 }], [{ query: () => 1 }]])(
    '%s is refused',
    async (value) => {
      const tx: unknown = value
      const given: SqlConnection[] = []
      Reflect.set(given, 0, tx)
      for (const each of given) {
        await expect(transactionLock(each, 'a')).rejects.toBeInstanceOf(InvalidArgumentError)
      }
    },
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
    const call: (...values: unknown[]) => Promise<void> = (...values) =>
      Reflect.apply(transactionLock, undefined, values)
    await expect(call(tx, 'a', options)).rejects.toBeInstanceOf(InvalidArgumentError)
    await expect(call(tx, '')).rejects.toBeInstanceOf(InvalidArgumentError)
  })
})
