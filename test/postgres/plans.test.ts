/** What a DBA asks: which plans, how much bloat. */
import { beforeAll, describe, expect, test } from 'vitest'
import { statementsFor } from '../../src/stores/postgres/statements.js'
import { until } from '../servers/until.js'
import { missing, Stand, title } from './server.js'

/** Values for the parameters of each statement that is about single rows. */
const examples = {
  read: "'lock', 'one'",
  insert: "'lock', 'two', NULL, 'a:1', '1', '1', '1', '{}', NULL",
  insertAndTell: "'lock', 'two', NULL, 'a:1', '1', '1', '1', '{}', NULL, '{a}', '{b}'",
  update: "'lock', 'one', '7', 'a:1', '1', '1', '1', '{}', NULL",
  updateAndTell: "'lock', 'one', '7', 'a:1', '1', '1', '1', '{}', NULL, '{a}', '{b}'",
  take: "'lock', 'one', 'a:1', NULL, '1000'",
  free: "'lock', 'one', 'a:1'",
  pass: "'lock', 'one', 'a:1', '\"one\"'",
  stand: "'lock', 'one', 'b:1', 'x:b:1', 'b', '1000', 'word'",
  renew: "'lock', 'one', 'a:1', '1000'",
  renewAll: "'lock', '{one}', '{a:1}', '{1000}'",
} as const

describe.skipIf(missing)(`${title}: plans`, () => {
  const stand = new Stand()

  beforeAll(async () => {
    await stand.client().session.express.take({ name: 'one', owner: 'a:1', leaseMs: 60_000 })
    await stand.tidy()
    await stand.pool.query(`INSERT INTO holdfast_locks (keyspace, name, version, holds, waiting)
      SELECT 'lock', 'many ' || n, 1, 0, '{}' FROM generate_series(1, 20000) AS n`)
    await stand.pool.query('VACUUM ANALYZE holdfast_locks')
  })

  const planOf = async (preparation: string, explain: string): Promise<string> => {
    const connection = await stand.pool.connect()
    await connection.query(preparation)
    const { rows } = await connection.query<Record<string, string>>(explain)
    connection.release(true)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }

  test.each(Object.entries(examples))('%s finds its row in the index', async (name, values) => {
    const statement = Object.entries(statementsFor('holdfast_locks')).find(([each]) => each === name)?.[1]
    const plan = await planOf(
      `SET plan_cache_mode = force_generic_plan; PREPARE example AS ${statement?.text}`,
      `EXPLAIN (COSTS OFF) EXECUTE example (${values})`,
    )
    expect(plan).not.toContain('Seq Scan')
    expect(plan).toMatch(/Index (Only )?Scan using holdfast_locks_pkey|Conflict Arbiter Indexes|Insert on/)
  })

  test('a list of names that begin alike reads no others', async () => {
    const plan = await planOf(
      'SET enable_seqscan = off',
      `EXPLAIN SELECT name FROM holdfast_locks
       WHERE keyspace = 'latch' AND name > '' AND name LIKE 'job-%' ORDER BY name LIMIT 1000`,
    )
    expect(plan).toMatch(/Index Cond:.*name >= 'job-'.*name < 'job\.'/)
  })

  test('sections leave no bloat: updates stay on their page and touch no index', async () => {
    const { express } = stand.client().session
    for (let round = 0; round < 500; round += 1) {
      const name = `bloat ${round % 10}`
      await express.take({ name, owner: 'a:1', leaseMs: 60_000 })
      await express.free(name, 'a:1')
    }
    const counted = await until(
      async () => {
        const { rows } = await stand.pool.query<{ all: string; hot: string }>(
          `SELECT n_tup_upd AS all, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = 'holdfast_locks'`,
        )
        return rows.find((row) => Number(row.all) >= 990)
      },
      { what: 'the server has counted' },
    )
    expect(Number(counted.hot) / Number(counted.all)).toBeGreaterThan(0.95)
  })
})
