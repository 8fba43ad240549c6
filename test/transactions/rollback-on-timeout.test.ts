/** `innodb_rollback_on_timeout`, with which the end of a wait for a row is the end of the transaction. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Connection, createConnection } from 'mysql2/promise'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { LockTimeoutError, mysqlNamesSchema, rowLock, transactionLock } from '../../src/transactions/index.js'
import { bringSqlServer, whyNot } from '../servers/sql/index.js'
import { duringAll } from '../setup/during.js'
import { loginOf } from './application.js'

for (const product of ['MariaDB', 'MySQL'] as const) {
  describe.skipIf(await whyNot(product))(product, () => {
    const server = duringAll(() =>
      bringSqlServer(product, { settings: { innodb_rollback_on_timeout: 'ON' } }),
    )
    let holder: Connection
    let waiter: Connection
    beforeAll(async () => {
      const own = await connected()
      await own.query(mysqlNamesSchema())
      await own.query('CREATE TABLE kept (number int PRIMARY KEY)')
      own.destroy()
    })
    afterEach(() => {
      holder.destroy()
      waiter.destroy()
    })

    const connected = (): Promise<Connection> => createConnection(loginOf(server.address))

    /** A transaction that has written, and another that has what it will wait for. */
    async function begin(): Promise<void> {
      holder = await connected()
      waiter = await connected()
      await holder.query('DELETE FROM kept')
      await holder.query('INSERT INTO kept VALUES (100)')
      await holder.beginTransaction()
      await transactionLock(holder, 'held')
      await holder.query('SELECT * FROM kept WHERE number = 100 FOR UPDATE')
      await waiter.beginTransaction()
      await waiter.query('INSERT INTO kept VALUES (1)')
    }

    const written = async (): Promise<unknown> =>
      (await holder.query('SELECT number FROM kept ORDER BY number'))[0]

    test('with a signal the transaction is still there when the lock comes after more than a second', async () => {
      await begin()
      const taken = transactionLock(waiter, 'held', { signal: new AbortController().signal, waitMs: 30_000 })
      await pause(1_700)
      await holder.commit()
      await taken
      await waiter.commit()
      expect(await written()).toEqual([{ number: 1 }, { number: 100 }])
    })

    test('the end of the wait is told, and nothing is done outside the transaction', async () => {
      await begin()
      const controller = new AbortController()
      const refused = transactionLock(waiter, 'held', { signal: controller.signal, waitMs: 2_000 })
      setTimeout(() => controller.abort(), 200)
      const error: unknown = await refused.catch((reason: unknown) => reason)
      await holder.rollback()
      await waiter.commit()
      // MariaDB may end the statement for its time instead of the wait, which leaves the transaction as it was.
      const inTime = error === controller.signal.reason
      if (!inTime) expect(error).toBeInstanceOf(LockTimeoutError)
      expect(await written()).toEqual([...(inTime ? [{ number: 1 }] : []), { number: 100 }])
    })

    test.each([0, 1_000])('a row that is held, waitMs %i', async (waitMs) => {
      await begin()
      const refused = rowLock(waiter, 'SELECT * FROM kept WHERE number = 100 FOR UPDATE', { waitMs })
      await expect(refused).rejects.toBeInstanceOf(LockTimeoutError)
      await waiter.rollback()
      await holder.rollback()
      expect(await written()).toEqual([{ number: 100 }])
    })
  })
}
