import { expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import {
  DeadlockError,
  InvalidArgumentError,
  LockTimeoutError,
  rowLock,
  sql,
} from '../../src/transactions/index.js'
import { onDrivers } from './drivers.js'

const ITEM = 'item varchar(40) NOT NULL PRIMARY KEY'
const row = (item: string) => sql`SELECT * FROM stock WHERE item = ${item} FOR UPDATE`

await onDrivers((stand, product) => {
  test('one transaction at a time has the row', async () => {
    await stand.table('stock', `${ITEM}, amount int NOT NULL`, "('bolts', 40), ('nuts', 1)")
    const worker = async (): Promise<void> => {
      const client = await stand.connect()
      for (let round = 0; round < 10; round += 1) {
        const { tx, query: ask, commit } = await client.begin()
        const [found] = await rowLock(tx, row('bolts'), { waitMs: 15_000 })
        await ask('UPDATE stock SET amount = ? WHERE item = ?', Number(found?.['amount']) - 1, 'bolts')
        await commit()
      }
    }
    await Promise.all([worker(), worker(), worker(), worker()])
    expect(await stand.query("SELECT amount FROM stock WHERE item = 'bolts'")).toEqual([{ amount: 0 }])
  })

  test('waits no longer than waitMs, leaves other rows alone, and the transaction goes on', async () => {
    await stand.table('stock', `${ITEM}, amount int NOT NULL`, "('bolts', 40), ('nuts', 1)")
    const holder = await stand.begin()
    expect(await rowLock(holder.tx, row('bolts'))).toEqual([{ item: 'bolts', amount: 40 }])
    const other = await stand.begin()
    await other.query("UPDATE stock SET amount = 2 WHERE item = 'nuts'")
    for (const waitMs of [0, 200])
      await expect(rowLock(other.tx, row('bolts'), { waitMs })).rejects.toBeInstanceOf(LockTimeoutError)
    expect(await rowLock(other.tx, row('nuts'), { waitMs: 500 })).toMatchObject([{ amount: 2 }])
    await other.commit()
    await holder.commit()
    expect(await stand.query("SELECT amount FROM stock WHERE item = 'nuts'")).toEqual([{ amount: 2 }])
    expect(await rowLock((await stand.begin()).tx, row('screws'), { waitMs: 0 })).toEqual([])
  })

  test.each([0, 1, 20])(
    'waitMs %i limits the wait, not the work: a row that is free is had however long the statement takes',
    async (waitMs) => {
      await stand.table('stock', ITEM, "('bolts')")
      const many =
        'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900) SELECT count(*)'
      const slow = `SELECT item, (${many} FROM n a, n b) AS counted FROM stock WHERE item = 'bolts' FOR UPDATE`
      const holder = await stand.begin()
      for (const statement of [slow, `${slow} -- mine`, `(${slow})`]) {
        const [row] = await rowLock(holder.tx, statement, { waitMs })
        expect(Number(row?.['counted'])).toBe(810_000)
      }
      const other = await stand.begin()
      await expect(rowLock(other.tx, slow, { waitMs })).rejects.toBeInstanceOf(LockTimeoutError)
    },
  )

  test.runIf(product === 'MariaDB')(
    'what was read is right, though the time was up while the server prepared it',
    async () => {
      await stand.table('stock', ITEM, "('bolts')")
      // MariaDB can end such a subquery at its limit without an error: it gives 0 or NULL.
      const joined = `(SELECT count(*) FROM ${Array.from({ length: 12 }, (_, index) => `stock s${index}`).join(', ')})`
      const columns = Array.from({ length: 20 }, (_, index) => `${joined} AS c${index}`).join(', ')
      const { tx } = await stand.begin()
      for (let round = 0; round < 50; round += 1) {
        const statement = `SELECT ${columns} FROM stock WHERE item = 'bolts' FOR UPDATE`
        const [row = {}] = await rowLock(tx, statement, { waitMs: 1 })
        expect([...new Set(Object.values(row).map(Number))]).toEqual([1])
      }
    },
  )

  test('with a signal, too, the work may take longer than a slice of the wait', async () => {
    await stand.table('stock', ITEM, "('bolts')")
    const sleep = product === 'PostgreSQL' ? 'pg_sleep' : 'SLEEP'
    const { tx } = await stand.begin()
    const [row] = await rowLock(tx, `SELECT item, ${sleep}(1.1) AS cut_short FROM stock FOR UPDATE`, {
      waitMs: 5_000,
      signal: new AbortController().signal,
    })
    expect(Number(row?.['cut_short'])).toBe(0)
  })

  test('an abort ends the wait, a deadlock tells one', async () => {
    await stand.table('stock', ITEM, "('bolts'), ('nuts')")
    const [one, two] = [await stand.begin(), await stand.begin()]
    await rowLock(one.tx, row('bolts'))
    await rowLock(two.tx, row('nuts'))
    const controller = new AbortController()
    const aborted = rejectionOf(rowLock(two.tx, row('bolts'), { signal: controller.signal }))
    await stand.untilWaiting()
    controller.abort('enough')
    expect(await aborted).toBe('enough')
    const take = (own: typeof one, item: string) =>
      rowLock(own.tx, row(item), { waitMs: 15_000 }).catch(async (error: unknown) => {
        await own.rollback()
        throw error
      })
    const told = await Promise.allSettled([take(one, 'nuts'), take(two, 'bolts')])
    expect(told.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    for (const each of told) if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(DeadlockError)
  })

  test.each([
    "SELECT item FROM stock WHERE item = 'bolts' FOR UPDATE -- mine",
    "(SELECT item FROM stock WHERE item = 'bolts' FOR UPDATE)",
    "SELECT * FROM (SELECT item FROM stock WHERE item = 'bolts' FOR UPDATE) AS d",
    "SELECT item FROM stock WHERE item = 'bolts' FOR UPDATE ;\n",
    ...(product === 'MariaDB'
      ? ["SELECT item FROM stock WHERE item = 'bolts' FOR UPDATE WAIT 3"]
      : [
          "SELECT stock.item FROM stock JOIN other USING (item) WHERE item = 'bolts' FOR UPDATE OF stock FOR SHARE OF other",
        ]),
  ])('waitMs limits the wait in every shape of statement: %s', async (statement) => {
    for (const name of ['stock', 'other']) await stand.table(name, ITEM, "('bolts')")
    const holder = await stand.begin()
    expect(await rowLock(holder.tx, statement, { waitMs: 0 })).toEqual([{ item: 'bolts' }])
    const other = await stand.begin()
    for (const waitMs of [0, 100]) {
      await expect(rowLock(other.tx, statement, { waitMs })).rejects.toBeInstanceOf(LockTimeoutError)
    }
    await holder.commit()
    expect(await rowLock(other.tx, statement, { waitMs: 100 })).toEqual([{ item: 'bolts' }])
  })

  test('a statement that does not want to wait is asked once', async () => {
    await stand.table('stock', ITEM, "('bolts')")
    await rowLock((await stand.begin()).tx, 'SELECT * FROM stock FOR UPDATE')
    const { tx } = await stand.begin()
    // This test ends before.
    const refused = rowLock(tx, 'SELECT * FROM stock FOR UPDATE NOWAIT', { waitMs: 600_000 })
    await expect(refused).rejects.toBeInstanceOf(LockTimeoutError)
  })

  test('values are values, whatever is in them and around them', async () => {
    await stand.table('stock', `${ITEM}, amount int`, "('bolts', 1), ('nuts', NULL)")
    const { tx, query } = await stand.begin()
    if (product !== 'PostgreSQL') await query("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'")
    const options = { waitMs: 1_000 }
    const found = (item: unknown) =>
      rowLock(tx, sql`SELECT item FROM stock WHERE item = ${item} FOR UPDATE`, options)
    expect(await found("\\' OR 1 = 1 -- \n")).toEqual([])
    const asked = sql`SELECT item, 'what?' AS "?" FROM stock WHERE item = ${'nuts'} /* why? */ FOR UPDATE`
    expect(await rowLock(tx, asked, options)).toEqual([{ item: 'nuts', '?': 'what?' }])
    expect(
      await rowLock(tx, sql`SELECT item FROM stock WHERE amount = ${1} LIMIT ${1} FOR UPDATE`, options),
    ).toEqual([{ item: 'bolts' }])
    // A body of JSON where a name was expected: mysql2 made `item` = 1 of it, which is true of every row.
    const object = found({ item: 1 })
    if (stand.driver === 'mysql2') await expect(object).rejects.toBeInstanceOf(InvalidArgumentError)
    else expect(await object).toEqual([])
  })

  test.skipIf(product === 'PostgreSQL')('nothing stays prepared', async () => {
    await stand.table('stock', ITEM)
    const { tx, query } = await stand.begin()
    // Of this connection.
    const count = async (what: 'prepare' | 'close'): Promise<number> =>
      Number(Object.values((await query(`SHOW SESSION STATUS LIKE 'Com_stmt_${what}'`))[0] ?? {})[1])
    const prepared = async (): Promise<number> => (await count('prepare')) - (await count('close'))
    const before = await prepared()
    for (const waitMs of [0, 100, 200]) await rowLock(tx, row('bolts'), { waitMs })
    expect(await prepared()).toBe(before)
  })

  test('what locks nothing is refused before it is sent', async () => {
    const { tx } = await stand.begin()
    for (const statement of ['SELECT 1', 'UPDATE stock SET amount = 1', ''])
      await expect(rowLock(tx, statement)).rejects.toBeInstanceOf(InvalidArgumentError)
  })
})
