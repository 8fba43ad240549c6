import { createPool as withCallbacks } from 'mariadb/callback'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import {
  InvalidArgumentError,
  StoreError,
  updateVersioned,
  VersionConflictError,
} from '../../src/transactions/index.js'
import { onDrivers } from './drivers.js'

const bolts = { table: 'stock', key: { item: 'bolts' } }

await onDrivers((stand, product) => {
  beforeEach(async () => {
    await stand.table(
      'stock',
      'item varchar(40) NOT NULL PRIMARY KEY, amount int NOT NULL, version bigint NOT NULL',
    )
    await stand.query("INSERT INTO stock VALUES ('bolts', 40, 7)")
  })

  test('of many who change the row at once none is lost', async () => {
    const { host, port, user, password, database } = stand.address
    const place = { host, port, user, password, database }
    const pool =
      product === 'PostgreSQL'
        ? new pg.Pool({ ...place, max: 5 })
        : createPool({ ...place, connectionLimit: 5 })
    const take = async (): Promise<void> => {
      const row = await updateVersioned(pool, { ...bolts, attempts: 1_000 }, ({ amount }) => ({
        amount: Number(amount) - 1,
      }))
      expect(row).toMatchObject({ item: 'bolts', amount: expect.any(Number) })
    }
    await Promise.all(Array.from({ length: 40 }, take))
    const [row] = await stand.query('SELECT amount, version FROM stock')
    expect({ amount: row?.['amount'], version: Number(row?.['version']) }).toEqual({
      amount: 0,
      version: 47,
    })
    await pool.end()
  })

  test('what is computed for the version is ignored', async () => {
    const { tx, commit } = await stand.begin('READ COMMITTED')
    const row = await updateVersioned(tx, bolts, (found) => ({ ...found, amount: 39 }))
    expect({ ...row, version: Number(row?.['version']) }).toEqual({ item: 'bolts', amount: 39, version: 8 })
    const before = updateVersioned(tx, bolts, (found) => ({
      ...found,
      [product === 'PostgreSQL' ? 'version' : 'Version']: 1,
      amount: 38,
    }))
    expect(Number((await before)?.['version'])).toBe(9)
    await commit()
    const [written] = await stand.query('SELECT amount, version FROM stock')
    expect({ ...written, version: Number(written?.['version']) }).toEqual({ amount: 38, version: 9 })
  })

  test.skipIf(product === 'PostgreSQL')('a pool with callbacks is refused', async () => {
    const { host, port, user, password, database } = stand.address
    const pool = withCallbacks({ host, port, user, password, database, allowPublicKeyRetrieval: true })
    const refused = Promise.resolve(
      Reflect.apply(updateVersioned, undefined, [pool, bolts, () => ({ amount: 1 })]),
    )
    await expect(refused).rejects.toBeInstanceOf(InvalidArgumentError)
    pool.end(() => undefined)
  })

  test('gives up with a typed error, having changed nothing', async () => {
    const { tx, rollback } = await stand.begin('READ COMMITTED')
    let computed = 0
    const failed = updateVersioned(tx, { ...bolts, attempts: 3 }, async () => {
      computed += 1
      await stand.query('UPDATE stock SET amount = 1, version = version + 1')
      return { amount: 99 }
    }).catch((error: unknown) => error)
    const error = await failed
    expect(error).toBeInstanceOf(VersionConflictError)
    expect(error).toMatchObject({ code: 'VERSION_CONFLICT', table: 'stock', attempts: 3 })
    expect(computed).toBe(3)
    await rollback()
    expect(await stand.query('SELECT amount FROM stock')).toEqual([{ amount: 1 }])
  })

  test('a transaction that cannot see the others’ changes is told at once', async () => {
    const { tx, rollback } = await stand.begin('REPEATABLE READ')
    const error = await updateVersioned(tx, bolts, async () => {
      await stand.query('UPDATE stock SET amount = 1, version = version + 1')
      return { amount: 99 }
    }).catch((reason: unknown) => reason)
    if (product === 'PostgreSQL') expect(error).toBeInstanceOf(StoreError)
    else
      expect(error).toMatchObject({
        code: 'VERSION_CONFLICT',
        message: expect.stringContaining('READ COMMITTED'),
      })
    await rollback().catch(() => undefined)
  })

  test('gives the row as written, as it is, or nothing', async () => {
    const { tx, commit } = await stand.begin('READ COMMITTED')
    const written = await updateVersioned(tx, bolts, () => ({ amount: 39 }))
    expect({ ...written, version: Number(written?.['version']) }).toEqual({
      item: 'bolts',
      amount: 39,
      version: 8,
    })
    expect(await updateVersioned(tx, bolts, () => undefined)).toMatchObject({ amount: 39 })
    // Only its version grows.
    await updateVersioned(tx, bolts, () => ({}))
    expect(
      await updateVersioned(tx, { table: 'stock', key: { item: 'nuts' } }, () => ({ amount: 1 })),
    ).toBeUndefined()
    await expect(updateVersioned(tx, bolts, () => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
    await commit()
    const [row] = await stand.query('SELECT version FROM stock')
    expect(Number(row?.['version'])).toBe(9)
  })

  test('names of tables and columns are quoted', async () => {
    const mark = product === 'PostgreSQL' ? '"' : '`'
    const quote = (name: string): string => mark + name.replaceAll(mark, mark + mark) + mark
    const [table, column] = [`odd ${mark}; DROP TABLE x`, `the ${mark} "count" of \`it\``]
    await stand.table(quote(table), `${quote(column)} int NOT NULL, revision int NOT NULL`)
    await stand.query(`INSERT INTO ${quote(table)} VALUES (1, 1)`)
    const { tx, commit } = await stand.begin('READ COMMITTED')
    const row = { table, key: { [column]: 1 }, version: 'revision' }
    expect(await updateVersioned(tx, row, () => ({ [column]: 2 }))).toMatchObject({ [column]: 2 })
    await commit()
  })

  test('bad input is refused', async () => {
    const { tx, rollback } = await stand.begin('READ COMMITTED')
    const compute = (): { amount: number } => ({ amount: 1 })
    for (const row of [
      { table: '', key: { item: 'bolts' } },
      { table: 'stock', key: {} },
      { table: 'stock', key: { item: 'bolts' }, version: 'amounts' },
      { table: 'stock', key: { item: 'bolts' }, attempts: 0 },
    ]) {
      await expect(updateVersioned(tx, row, compute)).rejects.toBeInstanceOf(InvalidArgumentError)
    }
    await rollback()
  })
})
