import { expect, test } from 'vitest'
import {
  DeadlockError,
  InvalidArgumentError,
  LockTimeoutError,
  rowLock,
  sql,
} from '../../src/transactions/index.js'
import { onDrivers } from './drivers.js'

await onDrivers((stand, product) => {
  test('one transaction at a time has the row', async () => {
    const { query, connect } = stand()
    await query('CREATE TABLE stock (item varchar(40) NOT NULL PRIMARY KEY, amount int NOT NULL)')
    await query("INSERT INTO stock VALUES ('bolts', 40), ('nuts', 1)")
    const worker = async (): Promise<void> => {
      const client = await connect()
      for (let round = 0; round < 10; round += 1) {
        const { tx, query: ask, commit } = await client.begin()
        const [row] = await rowLock(tx, sql`SELECT amount FROM stock WHERE item = ${'bolts'} FOR UPDATE`, {
          waitMs: 15_000,
        })
        await ask('UPDATE stock SET amount = ? WHERE item = ?', Number(row?.['amount']) - 1, 'bolts')
        await commit()
      }
    }
    await Promise.all([worker(), worker(), worker(), worker()])
    expect(await query("SELECT amount FROM stock WHERE item = 'bolts'")).toEqual([{ amount: 0 }])
    await query('DROP TABLE stock')
  })

  test('waits no longer than waitMs, leaves other rows alone, and the transaction goes on', async () => {
    const { query, begin } = stand()
    await query('CREATE TABLE stock (item varchar(40) NOT NULL PRIMARY KEY, amount int NOT NULL)')
    await query("INSERT INTO stock VALUES ('bolts', 40), ('nuts', 1)")
    const holder = await begin()
    expect(
      await rowLock(holder.tx, "SELECT item, amount FROM stock WHERE item = 'bolts' FOR UPDATE"),
    ).toEqual([{ item: 'bolts', amount: 40 }])
    const other = await begin()
    await other.query("UPDATE stock SET amount = 2 WHERE item = 'nuts'")
    for (const waitMs of [0, 200]) {
      const refused = rowLock(other.tx, sql`SELECT * FROM stock WHERE item = ${'bolts'} FOR UPDATE`, {
        waitMs,
      })
      await expect(refused).rejects.toBeInstanceOf(LockTimeoutError)
    }
    expect(
      await rowLock(other.tx, "SELECT amount FROM stock WHERE item = 'nuts' FOR UPDATE", { waitMs: 500 }),
    ).toEqual([{ amount: 2 }])
    await other.commit()
    await holder.commit()
    expect(await query("SELECT amount FROM stock WHERE item = 'nuts'")).toEqual([{ amount: 2 }])
    const third = await begin()
    expect(
      await rowLock(third.tx, "SELECT * FROM stock WHERE item = 'screws' FOR UPDATE", { waitMs: 0 }),
    ).toEqual([])
    await third.rollback()
    await query('DROP TABLE stock')
  })

  test('an abort ends the wait, a deadlock tells one', async () => {
    const { query, begin, untilWaiting } = stand()
    await query('CREATE TABLE stock (item varchar(40) NOT NULL PRIMARY KEY)')
    await query("INSERT INTO stock VALUES ('bolts'), ('nuts')")
    const [one, two] = [await begin(), await begin()]
    const row = (item: string) => sql`SELECT * FROM stock WHERE item = ${item} FOR UPDATE`
    await rowLock(one.tx, row('bolts'))
    await rowLock(two.tx, row('nuts'))
    const controller = new AbortController()
    const aborted = rowLock(two.tx, row('bolts'), { signal: controller.signal }).catch(
      (error: unknown) => error,
    )
    await untilWaiting()
    controller.abort('enough')
    expect(await aborted).toBe('enough')
    const told = await Promise.allSettled(
      [
        { own: one, item: 'nuts' },
        { own: two, item: 'bolts' },
      ].map(({ own, item }) =>
        rowLock(own.tx, row(item), { waitMs: 15_000 }).catch(async (error: unknown) => {
          await own.rollback()
          throw error
        }),
      ),
    )
    expect(told.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    for (const each of told) if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(DeadlockError)
    await Promise.allSettled([one.rollback(), two.rollback()])
    await query('DROP TABLE stock')
  })

  test('what locks nothing is refused before it is sent', async () => {
    const { tx } = await stand().begin()
    for (const statement of ['SELECT 1', 'UPDATE stock SET amount = 1', '']) {
      await expect(rowLock(tx, statement)).rejects.toBeInstanceOf(InvalidArgumentError)
    }
    expect(product).toBeDefined()
  })
})
