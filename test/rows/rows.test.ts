/** A row is changed as one step, whoever else changes it; and a lock may have any name. */
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { quoteTable as quoteForMysql } from '../../src/stores/mysql/schema.js'
import { storedName as storedInMysql } from '../../src/stores/mysql/stored-name.js'
import { quoteTable as quoteForPostgres } from '../../src/stores/postgres/schema.js'
import { storedName as storedInPostgres } from '../../src/stores/postgres/stored-name.js'
import { add, copy, tallies } from '../postgres/tally.js'
import { onSqlClients, type SqlClient } from './sql-clients.js'

const hostile = [
  ...'it\'s|"quoted"|`quoted`|back\\slash|100%|a_b|[set]|; DROP TABLE holdfast_locks; --|?|$1|:name'.split(
    '|',
  ),
  ...' leading and trailing |trailing|trailing |Case|case|line\nbreak\ttab|🧵 – naïve – 鎖'.split('|'),
  ...'e\u0301|é|e|nul \u0000 inside|nul|holdfast-sha256:short'.split('|'),
  'a|b',
  ...[512, 513, 1_000, 1_001].map((length) => 'x'.repeat(length)),
  `${'x'.repeat(2_000)}${'🧵'.repeat(20_000)}`,
  storedInMysql('x'.repeat(513)).name.toString(),
  storedInPostgres('x'.repeat(1_001)).name,
]

await onSqlClients(({ product, open, administer }) => {
  const inPostgres = product === 'PostgreSQL'
  const inSqlite = product === 'SQLite'
  let one: SqlClient
  let other: SqlClient

  beforeEach(() => {
    one = open()
    other = open()
  })

  const found = async (pattern: string): Promise<string[]> => {
    const names: string[] = []
    for await (const name of one.session.names('latch', pattern)) names.push(name)
    return names
  }

  test('a row that is not there is blank, and is not written for being looked at', async () => {
    expect(await one.session.change(tallies, 'absent', copy)).toEqual(tallies.blank())
    expect(await administer("SELECT 1 FROM holdfast_locks WHERE name = 'absent'")).toEqual([])
  })

  test('what a change leaves is what the next one finds, in any client', async () => {
    const name = randomUUID()
    const left = {
      owner: '{"a\\b"}:7',
      holds: inPostgres ? 3 : Number.MAX_SAFE_INTEGER,
      endsAt: 1_900_000_000_000.125,
      fence: 9_007_199_254_740_993n,
      // MySQL does not keep who waits.
      waiting: inPostgres ? [randomUUID(), 'with "quotes", \\ and {commas}', ''] : inSqlite ? ['a', 'b'] : [],
      notes: { text: 'naïve 🧵 \u0000 \ud800 \\ " \' \u007f', deep: [{ n: 1e300 }] },
    }
    await one.session.change(tallies, name, ({ body }) => {
      Object.assign(body, left)
    })
    expect(await other.session.change(tallies, name, copy)).toEqual(left)
    const then = { ...tallies.blank(), endsAt: Infinity, fence: 2n ** 63n - 1n }
    await other.session.change(tallies, name, ({ body }) => {
      Object.assign(body, then)
    })
    expect(await one.session.change(tallies, name, copy)).toEqual(then)
  })

  test.skipIf(inSqlite)('a change sees the time of the server', async () => {
    const before = Date.now()
    const now = await one.session.change(tallies, 'time', ({ now }) => now)
    expect(now).toBeGreaterThanOrEqual(before - 1)
    expect(now).toBeLessThanOrEqual(Date.now() + 1)
  })

  test('what a change throws is passed on, and nothing is written', async () => {
    const change = one.session.change(tallies, 'throws', ({ body }) => {
      body.holds = 5
      throw new RangeError('enough')
    })
    await expect(change).rejects.toThrow(new RangeError('enough'))
    expect(await other.session.change(tallies, 'throws', ({ body }) => body.holds)).toBe(0)
  })

  test('no change is lost among those that two clients make at once', async () => {
    const name = randomUUID()
    const work = async (client: SqlClient): Promise<number[]> => {
      const seen: number[] = []
      for (let round = 0; round < 50; round += 1) seen.push(await add(client, name))
      return seen
    }
    const seen = (await Promise.all([one, one, other, other].map(work))).flat()
    expect(new Set(seen).size).toBe(200)
    expect(Math.max(...seen)).toBe(200)
  })

  test('of clients that make a row at once, one makes it, and none is refused', async () => {
    const clients = [one, other, open(), open()]
    for (let round = 0; round < 30; round += 1) {
      const name = randomUUID()
      expect((await Promise.all(clients.map((client) => add(client, name)))).sort()).toEqual([1, 2, 3, 4])
    }
  })

  test('rows of different keyspaces have nothing to do with each other', async () => {
    await add(one, 'both')
    const values = { ...tallies, keyspace: 'value' as const }
    expect(await one.session.change(values, 'both', ({ body }) => body.holds)).toBe(0)
  })

  test('a row that another program has spoilt is a typed error', async () => {
    await add(one, 'spoilt')
    const unpack = (): never => {
      throw new TypeError('not a tally')
    }
    await expect(one.session.change({ ...tallies, unpack }, 'spoilt', copy)).rejects.toMatchObject({
      code: 'STORE_ERROR',
      reason: 'wrong-type',
      transient: false,
      lockName: 'spoilt',
    })
  })

  test('each name has a lock of its own, and is listed as it is', async () => {
    await add(one, 'makes the table')
    await administer("DELETE FROM holdfast_locks WHERE keyspace = 'latch'")
    for (const name of hostile) expect(await add(one, name), name.slice(0, 40)).toBe(1)
    for (const name of hostile) expect(await add(one, name), name.slice(0, 40)).toBe(2)
    expect((await found('*')).sort()).toEqual([...hostile].sort())
    for (const name of hostile) {
      const literal = name.replace(/[*?[\]\\]/g, '\\$&')
      if (name.length < 5_000) expect(await found(literal), literal).toEqual([name])
    }
    expect(await found('na?ve')).toEqual([])
    expect(await found('? – na?ve*')).toEqual(['🧵 – naïve – 鎖'])
  })

  test('express commands take every name as well', async () => {
    await add(one, 'makes the table')
    const { express } = one.session
    const requests = hostile.map((name) => ({ name, owner: 'a:1', leaseMs: 60_000 }))
    for (const request of requests) {
      expect(await express.take(request)).toBeDefined()
      expect(await express.take(request)).toBeUndefined()
    }
    expect(await Promise.all(express.renew(requests))).not.toContain(false)
    for (const name of hostile) expect(await express.free(name, 'a:1')).toBe(true)
  })

  test('more names than one answer holds are listed once each', async () => {
    const prefix = randomUUID()
    await add(one, 'makes the table')
    const names = Array.from({ length: 2_500 }, (_, index) => `${prefix}-${index}`)
    const [columns, values] = {
      ...{ PostgreSQL: ['version, waiting', "1, '{}'"], SQLite: ['changed_at, waiting', "0, ''"] },
      ...{ MySQL: ['version', '1'], MariaDB: ['version', '1'] },
    }[product]
    for (let from = 0; from < names.length; from += 500) {
      const some = names.slice(from, from + 500)
      const rows = some.map((name) => `('latch', '${name}', 0, ${values})`).join()
      await administer(`INSERT INTO holdfast_locks (keyspace, name, holds, ${columns}) VALUES ${rows}`)
    }
    expect((await found(`${prefix}*`)).sort()).toEqual(names.sort())
    expect(await found(`${prefix}-1?`)).toHaveLength(10)
  })

  const tables: ReadonlyArray<[string, string | undefined]> = inPostgres
    ? [
        ['locks', undefined],
        ['App.My Locks', '"App"'],
        [`"we""ird.ta'ble %s $1 \\"`, undefined],
        ['"a.b"."c""d"', '"a.b"'],
      ]
    : [
        ['`We"ird ``ta\'ble`` %s ? \\`', undefined],
        ['`App.My`', undefined],
      ]

  test.skipIf(inSqlite).each(tables)('locks are kept in the table %s', async (table, schema) => {
    const quoted = inPostgres ? quoteForPostgres(table) : quoteForMysql(table)
    if (schema !== undefined) await administer(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
    await add(open({ table }), 'one')
    const [row] = await administer(`SELECT holds FROM ${quoted}`)
    expect(Number(row?.['holds'])).toBe(1)
    await administer(`DROP TABLE ${quoted}`)
  })
})
