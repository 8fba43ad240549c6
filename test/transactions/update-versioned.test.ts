import { createPool as withCallbacks } from 'mariadb/callback'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import {
  InvalidArgumentError,
  type Row,
  StoreError,
  updateVersioned,
  VersionConflictError,
} from '../../src/transactions/index.js'
import { loginOf } from './application.js'
import { onDrivers } from './drivers.js'

const bolts = { table: 'stock', key: { item: 'bolts' } }

/** Its version as a number: each driver gives it another way. */
function read(row: Row | undefined): unknown {
  return { ...row, version: Number(row?.['version']) }
}

await onDrivers((stand, product) => {
  beforeEach(async () => {
    const columns = 'item varchar(40) NOT NULL PRIMARY KEY, amount int NOT NULL, version bigint NOT NULL'
    await stand.table('stock', columns, "('bolts', 40, 7)")
  })
  const written = async (): Promise<unknown> =>
    read((await stand.query('SELECT amount, version FROM stock'))[0])
  const othersChangeIt = async () => {
    await stand.query('UPDATE stock SET amount = 1, version = version + 1')
    return { amount: 99 }
  }

  test('of many who change the row at once none is lost', async () => {
    const login = loginOf(stand.address)
    const pool =
      product === 'PostgreSQL'
        ? new pg.Pool({ ...login, max: 5 })
        : createPool({ ...login, connectionLimit: 5 })
    const take = async (): Promise<void> => {
      const row = await updateVersioned(pool, { ...bolts, attempts: 1_000 }, ({ amount }) => ({
        amount: Number(amount) - 1,
      }))
      expect(row).toMatchObject({ item: 'bolts', amount: expect.any(Number) })
    }
    await Promise.all(Array.from({ length: 40 }, take))
    expect(await written()).toEqual({ amount: 0, version: 47 })
    await pool.end()
  })

  test('what is computed for the version is ignored', async () => {
    const { tx, commit } = await stand.begin('READ COMMITTED')
    for (const [round, version] of ['version', product === 'PostgreSQL' ? 'version' : 'Version'].entries()) {
      const row = await updateVersioned(tx, bolts, (found) => ({ ...found, [version]: 1, amount: round }))
      expect(read(row)).toEqual({ item: 'bolts', amount: round, version: 8 + round })
    }
    await commit()
    expect(await written()).toEqual({ amount: 1, version: 9 })
  })

  test.skipIf(product === 'PostgreSQL')('a pool with callbacks is refused', async () => {
    const pool = withCallbacks({ ...loginOf(stand.address), allowPublicKeyRetrieval: true })
    await expect(
      Promise.resolve(Reflect.apply(updateVersioned, undefined, [pool, bolts, () => ({ amount: 1 })])),
    ).rejects.toBeInstanceOf(InvalidArgumentError)
    pool.end(() => undefined)
  })

  test('gives up with a typed error, having changed nothing', async () => {
    const { tx, rollback } = await stand.begin('READ COMMITTED')
    let computed = 0
    const failed = updateVersioned(tx, { ...bolts, attempts: 3 }, () => {
      computed += 1
      return othersChangeIt()
    })
    const error = await rejectionOf(failed)
    expect(error).toBeInstanceOf(VersionConflictError)
    expect(error).toMatchObject({ code: 'VERSION_CONFLICT', table: 'stock', attempts: 3 })
    expect(computed).toBe(3)
    await rollback()
    expect(await written()).toEqual({ amount: 1, version: 10 })
  })

  test('a transaction that cannot see the others’ changes is told at once', async () => {
    const { tx, rollback } = await stand.begin('REPEATABLE READ')
    const error = await rejectionOf(updateVersioned(tx, bolts, othersChangeIt))
    const message = expect.stringContaining('READ COMMITTED')
    if (product === 'PostgreSQL') expect(error).toBeInstanceOf(StoreError)
    else expect(error).toMatchObject({ code: 'VERSION_CONFLICT', message })
    await rollback().catch(() => undefined)
  })

  test('gives the row as written, as it is, or nothing', async () => {
    const { tx, commit } = await stand.begin('READ COMMITTED')
    const row = await updateVersioned(tx, bolts, () => ({ amount: 39 }))
    expect(read(row)).toEqual({ item: 'bolts', amount: 39, version: 8 })
    expect(await updateVersioned(tx, bolts, () => undefined)).toMatchObject({ amount: 39 })
    // Only its version grows.
    await updateVersioned(tx, bolts, () => ({}))
    const nuts = { table: 'stock', key: { item: 'nuts' } }
    expect(await updateVersioned(tx, nuts, () => ({ amount: 1 }))).toBeUndefined()
    await expect(updateVersioned(tx, bolts, () => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
    await commit()
    expect(await written()).toEqual({ amount: 39, version: 9 })
  })

  test('names of tables and columns are quoted', async () => {
    const mark = product === 'PostgreSQL' ? '"' : '`'
    const quote = (name: string): string => mark + name.replaceAll(mark, mark + mark) + mark
    const [table, column] = [`odd ${mark}; DROP TABLE x`, `the ${mark} "count" of \`it\``]
    await stand.table(quote(table), `${quote(column)} int NOT NULL, revision int NOT NULL`, '(1, 1)')
    const { tx, commit } = await stand.begin('READ COMMITTED')
    const row = { table, key: { [column]: 1 }, version: 'revision' }
    expect(await updateVersioned(tx, row, () => ({ [column]: 2 }))).toMatchObject({ [column]: 2 })
    await commit()
  })

  test.each([{ table: '' }, { key: {} }, { version: 'amounts' }, { attempts: 0 }])(
    'bad input is refused: %j',
    async (bad) => {
      const { tx } = await stand.begin('READ COMMITTED')
      const refused = updateVersioned(tx, { ...bolts, ...bad }, () => ({ amount: 1 }))
      await expect(refused).rejects.toBeInstanceOf(InvalidArgumentError)
    },
  )
})
