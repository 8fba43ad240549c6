/** A row is changed as one step, whoever else changes it; and a lock may have any name. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { likeOf, storedName } from '../../src/mysql/stored-name.js'
import { quoteTable } from '../../src/mysql/table-name.js'
import { copy, tallies } from '../postgres/tally.js'
import { onDatabases } from '../setup/databases.js'
import { administer, type Client, libraries, libraryNames, openClient } from './clients.js'

const hostile = [
  "it's",
  '"quoted"',
  '`quoted`',
  'back\\slash',
  '100%',
  'a_b',
  'a|b',
  '[set]',
  '; DROP TABLE holdfast_locks; --',
  '?',
  ':name',
  ' leading and trailing ',
  'trailing',
  'trailing ',
  'Case',
  'case',
  'line\nbreak\ttab',
  '🧵 – naïve – 鎖',
  'e\u0301',
  'é',
  'e',
  'nul \u0000 inside',
  'x'.repeat(512),
  'x'.repeat(513),
  `${'x'.repeat(2_000)}${'🧵'.repeat(20_000)}`,
  storedName('x'.repeat(513)).name.toString(),
  'holdfast-sha256:short',
]

await onDatabases(['MariaDB', 'MySQL'], (database) => {
  describe.each(libraryNames)('with %s', (library) => {
    let one: Client
    let other: Client

    const open = (options: Parameters<typeof openClient>[1] = {}): Client =>
      openClient(() => libraries[library](database().address), { createTable: true, ...options })

    beforeEach(() => {
      one = open()
      other = open()
    })

    afterEach(async () => {
      await Promise.all([one.session.close(), other.session.close()])
      expect([one.errors, other.errors]).toEqual([[], []])
    })

    test('a row that is not there is blank, and is not written for being looked at', async () => {
      expect(await one.session.change(tallies, 'absent', copy)).toEqual(tallies.blank())
      expect(
        await administer(database().address, "SELECT 1 FROM holdfast_locks WHERE name = 'absent'"),
      ).toEqual([])
    })

    test('what a change leaves is what the next one finds, in any client', async () => {
      const name = randomUUID()
      const left = {
        owner: '{"a\\b"}:7',
        holds: Number.MAX_SAFE_INTEGER,
        endsAt: 1_900_000_000_000.125,
        fence: 9_007_199_254_740_993n,
        waiting: [],
        notes: { text: 'naïve 🧵 \u0000 \ud800 \\ " \' \u007f', deep: [{ n: 1e300 }] },
      }
      await one.session.change(tallies, name, ({ body }) => {
        Object.assign(body, left)
      })
      expect(await other.session.change(tallies, name, copy)).toEqual(left)
      await other.session.change(tallies, name, ({ body }) => {
        Object.assign(body, tallies.blank(), { endsAt: Infinity, fence: 2n ** 63n - 1n })
      })
      const then = { ...tallies.blank(), endsAt: Infinity, fence: 2n ** 63n - 1n }
      expect(await one.session.change(tallies, name, copy)).toEqual(then)
    })

    test('a change sees the time of the server', async () => {
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
      const add = ({ session }: Client): Promise<number> =>
        session.change(tallies, name, ({ body }) => {
          body.holds += 1
          return body.holds
        })
      const work = async (client: Client): Promise<number[]> => {
        const seen: number[] = []
        for (let round = 0; round < 50; round += 1) seen.push(await add(client))
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
        const counts = await Promise.all(
          clients.map(({ session }) =>
            session.change(tallies, name, ({ body }) => {
              body.holds += 1
              return body.holds
            }),
          ),
        )
        expect(counts.sort()).toEqual([1, 2, 3, 4])
      }
      await Promise.all(clients.map(({ session }) => session.close()))
    })

    test('rows of different keyspaces have nothing to do with each other', async () => {
      await one.session.change(tallies, 'both', ({ body }) => {
        body.holds = 1
      })
      const values = { ...tallies, keyspace: 'value' as const }
      expect(await one.session.change(values, 'both', ({ body }) => body.holds)).toBe(0)
    })

    test('each name has a lock of its own, and is listed as it is', async () => {
      const keyspace = library === 'mysql2' ? 'semaphore' : 'permits'
      const shape = { ...tallies, keyspace } as const
      const count = (name: string): Promise<number> =>
        one.session.change(shape, name, ({ body }) => {
          body.holds += 1
          return body.holds
        })
      const found = async (pattern: string): Promise<string[]> => {
        const names: string[] = []
        for await (const name of one.session.names(keyspace, pattern)) names.push(name)
        return names
      }
      for (const name of hostile) expect(await count(name), name.slice(0, 40)).toBe(1)
      for (const name of hostile) expect(await count(name), name.slice(0, 40)).toBe(2)
      expect((await found('*')).sort()).toEqual([...hostile].sort())
      for (const name of hostile) {
        const literal = name.replace(/[*?[\]\\]/g, '\\$&')
        if (name.length < 5_000) expect(await found(literal), literal).toEqual([name])
      }
      expect(await found('na?ve')).toEqual([])
      expect(await found('? – na?ve*')).toEqual(['🧵 – naïve – 鎖'])
    })

    test('express commands take every name as well', async () => {
      const { express } = one.session
      for (const name of hostile) {
        const request = { name, owner: 'a:1', leaseMs: 60_000 }
        expect(await express.take(request)).toBeDefined()
        expect(await express.take(request)).toBeUndefined()
      }
      const requests = hostile.map((name) => ({ name, owner: 'a:1', leaseMs: 60_000 }))
      expect(await Promise.all(express.renew(requests))).not.toContain(false)
      for (const name of hostile) expect(await express.free(name, 'a:1')).toBe(true)
    })

    test('more names than one answer holds are listed once each', async () => {
      const prefix = randomUUID()
      await administer(
        database().address,
        `INSERT INTO holdfast_locks (keyspace, name, version, holds)
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
         SELECT 'latch', CONCAT(?, '-', k, '-', n), 1, 0 FROM numbers, (SELECT 1 AS k UNION SELECT 2 UNION SELECT 3) AS thrice`,
        [prefix],
      )
      const names: string[] = []
      for await (const name of one.session.names('latch', `${prefix}*`)) names.push(name)
      expect(new Set(names).size).toBe(3_000)
      expect(names).toHaveLength(3_000)
    })

    test.each(['We"ird `ta\'ble` %s ? \\', 'App.My'])('locks are kept in the table %s', async (plain) => {
      const table = `\`${plain.replaceAll('`', '``')}\``
      const own = open({ table })
      await own.session.change(tallies, 'one', ({ body }) => {
        body.holds = 7
      })
      expect(await administer(database().address, `SELECT holds FROM ${quoteTable(table)}`)).toEqual([
        { holds: 7 },
      ])
      await administer(database().address, `DROP TABLE ${quoteTable(table)}`)
      await own.session.close()
    })
  })
})

test.each([
  ['locks', '`locks`'],
  ['app.locks', '`app`.`locks`'],
  ['App.My Locks', '`App`.`My Locks`'],
  ['`a.b`.`c``d`', '`a.b`.`c``d`'],
  ["'; DROP TABLE x; --", "`'; DROP TABLE x; --`"],
])('the table %s is %s', (table, sql) => {
  expect(quoteTable(table)).toBe(sql)
})

test.each(['', '.', 'a.', '.b', 'a.b.c', 'a`b`', '`', 'x'.repeat(65), 'n\0ul', '``', 'a ', '🧵', 7])(
  'the table %j is refused',
  (table) => {
    expect(() => quoteTable(table)).toThrow('table is')
  },
)

test.each([
  ['a*b?c', 'a%b%c'],
  ['50%_|', '50|%|_||'],
  ['\\*\\?\\[', '*?['],
  ['job-[0-9]*', 'job-%'],
])('the glob %s asks for %s', (glob, like) => {
  expect(likeOf(glob).toString()).toBe(like)
})
