/** A row is changed as one step, whoever else changes it. */
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { SqlServer } from '../servers/sql/index.js'
import {
  bringPostgres,
  type Client,
  libraries,
  libraryNames,
  missing,
  openClient,
  poolOf,
  title,
} from './server.js'
import { copy, tallies } from './tally.js'

describe.skipIf(missing).each(libraryNames)(`${title} by %s: rows`, (library) => {
  let server: SqlServer
  let pool: Pool
  let application: ReturnType<(typeof libraries)[typeof library]>
  let one: Client
  let other: Client

  beforeAll(async () => {
    server = await bringPostgres()
    pool = poolOf(server.address)
    application = libraries[library](server.address)
  })

  beforeEach(async () => {
    one = openClient(application, { createTable: true })
    other = openClient(application, { createTable: true })
    return async () => {
      await Promise.all([one.session.close(), other.session.close()])
      expect([one.errors, other.errors]).toEqual([[], []])
    }
  })

  afterAll(async () => {
    await Promise.all([pool?.end(), application?.end()])
    await server?.stop()
  })

  test('a row that is not there is blank, and is not written for being looked at', async () => {
    expect(await one.session.change(tallies, 'absent', copy)).toEqual(tallies.blank())
    const { rows } = await pool.query("SELECT FROM holdfast_locks WHERE name = 'absent'")
    expect(rows).toHaveLength(0)
  })

  test('what a change leaves is what the next one finds, in any client', async () => {
    const left = {
      owner: '{"a\\b"}:7',
      holds: 3,
      endsAt: 1_900_000_000_000.125,
      fence: 9_007_199_254_740_993n,
      waiting: [one.id, 'with "quotes", \\ and {commas}', ''],
      notes: { text: 'naïve 🧵 \u0000 \ud800', deep: [{ n: 1e300 }] },
    }
    await one.session.change(tallies, 'full', ({ body }) => {
      Object.assign(body, left)
    })
    expect(await other.session.change(tallies, 'full', copy)).toEqual(left)
    await other.session.change(tallies, 'full', ({ body }) => {
      Object.assign(body, tallies.blank(), { endsAt: Infinity })
    })
    expect(await one.session.change(tallies, 'full', copy)).toEqual({ ...tallies.blank(), endsAt: Infinity })
  })

  test('a change sees the time of the server', async () => {
    const before = Date.now()
    const now = await one.session.change(tallies, 'time', ({ now }) => now)
    expect(now).toBeGreaterThanOrEqual(before - 1)
    expect(now).toBeLessThanOrEqual(Date.now() + 1)
  })

  test('what a change throws is passed on, and nothing is written or told', async () => {
    const change = one.session.change(tallies, 'throws', ({ body }) => {
      body.holds = 5
      throw new RangeError('enough')
    })
    await expect(change).rejects.toThrow(new RangeError('enough'))
    expect(await other.session.change(tallies, 'throws', ({ body }) => body.holds)).toBe(0)
  })

  test('no change is lost among those that two clients make at once', async () => {
    const name = randomUUID()
    const add = (client: Client): Promise<number> =>
      client.session.change(tallies, name, ({ body }) => {
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

  test('two clients exclude each other', async () => {
    let inside = 0
    let most = 0
    const enter = (client: Client): Promise<boolean> =>
      client.session.change(tallies, 'alone', ({ body }) => {
        if (body.owner !== undefined) return false
        body.owner = client.id
        return true
      })
    const leave = (client: Client): Promise<void> =>
      client.session.change(tallies, 'alone', ({ body }) => {
        body.owner = undefined
      })
    const work = async (client: Client): Promise<void> => {
      for (let sections = 0; sections < 50; ) {
        if (!(await enter(client))) continue
        inside += 1
        most = Math.max(most, inside)
        await Promise.resolve()
        inside -= 1
        await leave(client)
        sections += 1
      }
    }
    await Promise.all([work(one), work(other), work(one)])
    expect(most).toBe(1)
  })

  test('rows of different keyspaces have nothing to do with each other', async () => {
    await one.session.change(tallies, 'both', ({ body }) => {
      body.holds = 1
    })
    const values = { ...tallies, keyspace: 'value' as const }
    expect(await one.session.change(values, 'both', ({ body }) => body.holds)).toBe(0)
  })

  test('a row that another program has spoilt is a typed error', async () => {
    await pool.query(`INSERT INTO holdfast_locks (keyspace, name, version, holds, waiting, rest)
      VALUES ('latch', 'spoilt', 1, 0, '{}', '17')`)
    const spoilt = {
      ...tallies,
      unpack: () => {
        throw new TypeError('not a tally')
      },
    }
    await expect(one.session.change(spoilt, 'spoilt', copy)).rejects.toMatchObject({
      code: 'STORE_ERROR',
      reason: 'wrong-type',
      transient: false,
      lockName: 'spoilt',
    })
  })
})
