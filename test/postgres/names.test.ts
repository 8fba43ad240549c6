/** A lock may have any name, and is found by it. */
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { likeOf, storedName } from '../../src/postgres/stored-name.js'
import { quoteTable } from '../../src/postgres/table-name.js'
import type { SqlServer } from '../servers/sql/index.js'
import { bringPostgres, type Client, missing, openClient, poolOf, title } from './server.js'
import { tallies } from './tally.js'

const hostile = [
  "it's",
  '"quoted"',
  'back\\slash',
  '100%',
  'a_b',
  '[set]',
  '; DROP TABLE holdfast_locks; --',
  '$1',
  ' leading and trailing ',
  'line\nbreak\ttab',
  '🧵 – naïve – 鎖',
  'e\u0301',
  'é',
  'nul \u0000 inside',
  'nul',
  'x'.repeat(1_000),
  'x'.repeat(1_001),
  `${'x'.repeat(2_000)}${'🧵'.repeat(20_000)}`,
  storedName('x'.repeat(1_001)).name,
  'holdfast-sha256:short',
]

describe.skipIf(missing)(`${title}: names`, () => {
  let server: SqlServer
  let pool: Pool
  let client: Client

  beforeAll(async () => {
    server = await bringPostgres()
    pool = poolOf(server.address)
    client = openClient(pool, { createTable: true })
  })

  afterAll(async () => {
    await client?.session.close()
    await pool?.end()
    await server?.stop()
  })

  const count = (name: string): Promise<number> =>
    client.session.change(tallies, name, ({ body }) => {
      body.holds += 1
      return body.holds
    })
  const found = async (pattern: string): Promise<string[]> => {
    const names: string[] = []
    for await (const name of client.session.names('latch', pattern)) names.push(name)
    return names
  }

  test('each has a lock of its own, and is listed as it is', async () => {
    for (const name of hostile) expect(await count(name), name.slice(0, 40)).toBe(1)
    for (const name of hostile) expect(await count(name), name.slice(0, 40)).toBe(2)
    expect((await found('*')).sort()).toEqual([...hostile].sort())
    for (const name of hostile) {
      const literal = name.replace(/[*?[\]\\]/g, '\\$&')
      if (name.length < 5_000) expect(await found(literal), literal).toEqual([name])
    }
  })

  test('express commands take them as well', async () => {
    for (const name of hostile) {
      const request = { name, owner: 'a:1', leaseMs: 60_000 }
      expect(await client.session.express.take(request)).toBeDefined()
      expect(await client.session.express.take(request)).toBeUndefined()
    }
    const requests = hostile.map((name) => ({ name, owner: 'a:1', leaseMs: 60_000 }))
    expect(await Promise.all(client.session.express.renew(requests))).not.toContain(false)
    for (const name of hostile) expect(await client.session.express.free(name, 'a:1')).toBe(true)
  })

  test('more names than one answer holds are listed once each', async () => {
    const prefix = randomUUID()
    await pool.query(
      `INSERT INTO holdfast_locks (keyspace, name, version, holds, waiting)
       SELECT 'latch', $1 || n, 1, 0, '{}' FROM generate_series(1, 2500) AS n`,
      [prefix],
    )
    const names = await found(`${prefix}*`)
    expect(new Set(names).size).toBe(2_500)
    expect(names).toHaveLength(2_500)
    expect(await found(`${prefix}1?`)).toEqual(
      Array.from({ length: 10 }, (_, index) => `${prefix}${10 + index}`),
    )
  })

  test('a list of names that begin alike reads no others', async () => {
    const connection = await pool.connect()
    await connection.query('SET enable_seqscan = off')
    const { rows } = await connection.query<Record<string, string>>(
      `EXPLAIN SELECT name FROM holdfast_locks
       WHERE keyspace = 'latch' AND name > '' AND name LIKE 'job-%' ORDER BY name LIMIT 1000`,
    )
    connection.release(true)
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(plan).toMatch(/Index Cond:.*name >= 'job-'.*name < 'job\.'/)
  })

  test.each([
    ['locks', '"locks"'],
    ['app.locks', '"app"."locks"'],
    ['App.My Locks', '"App"."My Locks"'],
    ['"a.b"."c""d"', '"a.b"."c""d"'],
    ["'; DROP TABLE x; --", `"'; DROP TABLE x; --"`],
  ])('the table %s is %s', (table, sql) => {
    expect(quoteTable(table)).toBe(sql)
  })

  test.each(['', '.', 'a.', '.b', 'a.b.c', 'a"b"', '"', 'x'.repeat(64), 'n\0ul', '""', 7])(
    'the table %j is refused',
    (table) => {
      expect(() => quoteTable(table)).toThrow('table is')
    },
  )

  test.each([
    ['locks', undefined],
    ['App.My Locks', '"App"'],
    [`"we""ird.ta'ble %s $1 \\"`, undefined],
    ['"a.b"."c""d"', '"a.b"'],
  ])('locks are kept in the table %s', async (table, schema) => {
    if (schema !== undefined) await pool.query(`CREATE SCHEMA ${schema}`)
    const own = openClient(pool, { table, createTable: true })
    await own.session.change(tallies, 'one', ({ body }) => {
      body.holds = 7
    })
    const { rows } = await pool.query(`SELECT holds FROM ${quoteTable(table)}`)
    expect(rows).toEqual([{ holds: '7' }])
    await own.session.close()
  })

  test.each([
    ['a*b?c', 'a%b_c'],
    ['50%_\\', '50\\%\\_\\\\'],
    ['\\*\\?\\[', '*?['],
    ['job-[0-9]*', 'job-%'],
    ['🧵?', '🧵_'],
  ])('the glob %s asks for %s', (glob, like) => {
    expect(likeOf(glob)).toBe(like)
  })
})
