/** Rows that say nothing go after a while, and nothing goes back with them. */
import { beforeEach, describe, expect, test } from 'vitest'
import { Schedule } from '../../src/base/time/schedule.js'
import { VirtualClock } from '../../src/base/time/virtual-clock.js'
import { type Client, missing, Stand, title } from './server.js'
import { locks, type Tally, tallies } from './tally.js'

const DAY = 24 * 60 * 60 * 1_000

describe.skipIf(missing)(`${title}: cleaning`, () => {
  const stand = new Stand()
  let client: Client

  beforeEach(() => {
    client = stand.client()
  })

  /** Makes rows look as if they had last changed so long ago. */
  const age = (name: string, ms: number) =>
    stand.pool.query(
      `UPDATE holdfast_locks SET version = version - $2::bigint * 1000,
      ends_at = ends_at - $2::float8 * interval '1 ms' WHERE name LIKE $1`,
      [name, ms],
    )
  const names = async (pattern: string): Promise<string[]> => {
    const { rows } = await stand.pool.query<{ name: string }>(
      'SELECT name FROM holdfast_locks WHERE name LIKE $1 ORDER BY name',
      [pattern],
    )
    return rows.map(({ name }) => name)
  }
  const put = (shape: typeof locks, name: string, change: Partial<Tally>): Promise<void> =>
    client.session.change(shape, name, ({ body }) => {
      Object.assign(body, { holds: 1 }, change)
    })
  const take = (name: string, leaseMs = 60_000): Promise<bigint | undefined> =>
    client.session.express.take({ name, owner: 'a:1', leaseMs })
  const passThrough = async (name: string): Promise<void> => {
    await take(name)
    await client.session.express.free(name, 'a:1')
  }

  test('what is old and says nothing goes; what is young, held, waited for or says more stays', async () => {
    await passThrough('kind old')
    await take('kind lapsed')
    await put(tallies, 'kind blank', { holds: 0, fence: 7n })
    await put(locks, 'kind endless', { owner: 'a:1', endsAt: Infinity })
    await put(locks, 'kind waited for', { holds: 0, waiting: ['c'] })
    await put(tallies, 'kind latch', { holds: 0, notes: { count: 3 } })
    await put(tallies, 'kind latch held', { endsAt: Infinity, notes: { until: 0 } })
    const over = { until: Date.now() - 2 * DAY }
    await put(tallies, 'kind over', { endsAt: Date.now(), waiting: ['c'], notes: over })
    await age('kind%', DAY + 120_000)
    await passThrough('kind young')
    await take('kind held')
    await age('kind held', DAY + 10_000)
    await stand.pool.query(
      "UPDATE holdfast_locks SET ends_at = now() + interval '1 min' WHERE name = 'kind held'",
    )
    await client.session.clean()
    expect(await names('kind%')).toEqual(
      ['kind endless', 'kind held', 'kind latch', 'kind latch held', 'kind waited for', 'kind young'].sort(),
    )
  })

  test('a line whose processes have gone without a word goes, also one that the server itself has written', async () => {
    await take('line', 1_000)
    const standing = await client.session.express.stand?.({
      name: 'line',
      place: 'x:b:1',
      firstLeaseMs: 1_000,
      word: 'any',
    })
    expect(standing).toBeDefined()
    await age('line', DAY + 120_000)
    const moved = await stand.pool.query(
      `UPDATE holdfast_locks SET rest = replace(rest::text, rest ->> 'until', '1')::json
      WHERE name = 'line' AND rest ->> 'until' <> '1'`,
    )
    expect(moved.rowCount).toBe(1)
    await client.session.clean()
    expect(await names('line')).toEqual([])
  })

  test('a row that is written anew after it was cleaned away has a greater version, so that no change is made on what it did not see', async () => {
    await put(tallies, 'reborn', { holds: 0, fence: 1n })
    const version = async (): Promise<bigint> => {
      const { rows } = await stand.pool.query<{ version: string }>(
        "SELECT version FROM holdfast_locks WHERE name = 'reborn'",
      )
      return BigInt(rows[0]?.version ?? 0)
    }
    const before = await version()
    await age('reborn', 2 * DAY)
    await client.session.clean()
    expect(await version()).toBe(0n)
    await put(tallies, 'reborn', { holds: 0, fence: 1n })
    expect(await version()).toBeGreaterThan(before)
  })

  test('a client that is in use cleans once an hour, whatever it does', async () => {
    const clock = new VirtualClock()
    const used = stand.client(stand.pool, {}, { schedule: new Schedule(clock, () => undefined) })
    await stand.pool.query(
      "INSERT INTO holdfast_locks (keyspace, name, version, holds, waiting) VALUES ('lock', 'hourly', 1, 0, '{}')",
    )
    await used.session.express.free('any', 'a:1')
    expect(await names('hourly')).toEqual(['hourly'])
    await clock.advance(2 * 3_600_000)
    await used.session.express.free('any', 'a:1')
    await expect.poll(() => names('hourly')).toEqual([])
  })

  test('at most a thousand go at once, rows that somebody has locked stay, and several clients do not wait for each other', async () => {
    await stand.pool.query(`INSERT INTO holdfast_locks (keyspace, name, version, holds, waiting)
      SELECT 'lock', 'many ' || n, 1, 0, '{}' FROM generate_series(1, 2500) AS n`)
    await client.session.clean()
    expect(await names('many %')).toHaveLength(1_500)
    const [kept] = await names('many %')
    const letGo = await stand.lockRow(kept ?? '')
    await Promise.all([client.session.clean(), stand.client().session.clean()])
    await client.session.clean()
    expect(await names('many %')).toEqual([kept])
    await letGo()
  })
})
