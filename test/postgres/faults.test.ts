/** What happens when the server, its settings or the network are not as they should be. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { until } from '../servers/until.js'
import { type Client, type Extra, libraryNames, missing, type openClient, Stand, title } from './server.js'
import { add } from './tally.js'

type OpenWith = Parameters<typeof openClient> extends [unknown, ...infer Others] ? Others : never

describe.skipIf(missing).each(libraryNames)(`${title} by %s: faults`, (library) => {
  const stand = new Stand()
  const applicationWith = (extra?: Extra) => stand.application(library, extra)
  const open = (
    application: Parameters<typeof openClient>[0] = applicationWith(),
    ...others: OpenWith
  ): Client => stand.client(application, ...others)

  test.each([
    ['serializable transactions', { default_transaction_isolation: 'serializable' }],
    ['read-only transactions', { default_transaction_read_only: 'on' }],
    ['short waits for locks', { lock_timeout: '1' }],
  ])('settings of the application: %s by default do no harm', async (_, settings) => {
    const others = applicationWith({ settings })
    const [one, other] = [open(others), open(others)]
    const name = randomUUID()
    const work = async (client: Client): Promise<void> => {
      for (let round = 0; round < 200; round += 1) await add(client, name)
    }
    await Promise.all([work(one), work(other)])
    expect(await add(one, name)).toBe(401)
  })

  test.each(['lock', 'fairLock'] as const)(
    'L3: floats of few digits by default let nobody into a %s that somebody holds',
    async (kind) => {
      const coarse = applicationWith({ settings: { extra_float_digits: '-15' } })
      const locks = [coarse, coarse, applicationWith()].map((each) => stand.holdfast(each)[kind]('digits'))
      const [inside, most] = [new Set<number>(), new Set<number>()]
      const work = async (lock: (typeof locks)[number], index: number): Promise<void> => {
        for (let round = 0; round < 10; round += 1)
          await lock.withLock({ waitMs: 10_000 }, async () => {
            inside.add(index)
            most.add(inside.size)
            await lock.isLocked()
            inside.delete(index)
          })
      }
      await Promise.all(locks.map(work))
      expect([...most]).toEqual([1])
    },
  )

  test('a statement has an end to its wait for a row, and to nothing else: one for a synchronous replica would end as if it were done', async () => {
    await stand.pool.query(`CREATE TABLE seen (setting text);
      CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO seen SELECT name || ' ' || setting FROM pg_settings WHERE name IN ('lock_timeout', 'statement_timeout');
        RETURN NEW; END $$;
      CREATE TRIGGER sees BEFORE INSERT ON holdfast_locks FOR EACH ROW EXECUTE FUNCTION see()`)
    stand.after(() =>
      stand.pool.query('DROP TRIGGER sees ON holdfast_locks; DROP FUNCTION see; DROP TABLE seen'),
    )
    await add(
      open(applicationWith({ settings: { statement_timeout: '5000' } }), {}, { commandTimeoutMs: 7_000 }),
    )
    const { rows } = await stand.pool.query('SELECT setting FROM seen ORDER BY setting')
    expect(rows.map(({ setting }) => setting)).toEqual(['lock_timeout 7000', 'statement_timeout 0'])
  })

  test('no more connections are opened than allowed, and commands wait for one', async () => {
    const client = open(undefined, { connections: 2 })
    const name = randomUUID()
    await Promise.all(Array.from({ length: 40 }, (_, index) => add(client, `${name} ${index}`)))
    const opened = (await stand.processes()).length
    expect(opened).toBeGreaterThan(0)
    expect(opened).toBeLessThanOrEqual(2)
    await client.session.close()
    await until(async () => (await stand.processes()).length === 0, { what: 'they are closed' })
  })
})
