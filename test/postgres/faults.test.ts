/** What happens when the server, its settings or the network are not as they should be. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { until } from '../servers/until.js'
import { lasting } from '../setup/lasting.js'
import { type Client, type Extra, libraryNames, missing, type openClient, Stand, title } from './server.js'
import { add, failureOf } from './tally.js'

const run = promisify(execFile)

type OpenWith = Parameters<typeof openClient> extends [unknown, ...infer Others] ? Others : never

describe.skipIf(missing).each(libraryNames)(`${title} by %s: faults`, (library) => {
  const stand = new Stand()
  const applicationWith = (extra?: Extra) => stand.application(library, extra)
  const open = (
    application: Parameters<typeof openClient>[0] = applicationWith(),
    ...others: OpenWith
  ): Client => stand.client(application, ...others)

  describe('settings of the application', () => {
    test.each([
      ['serializable transactions', { default_transaction_isolation: 'serializable' }],
      ['read-only transactions', { default_transaction_read_only: 'on' }],
      ['short waits for locks', { lock_timeout: '1' }],
    ])('%s by default do no harm', async (_, settings) => {
      const others = applicationWith({ settings })
      const [one, other] = [open(others), open(others)]
      const name = randomUUID()
      await Promise.all(
        [one, other].map(async (client) => {
          for (let round = 0; round < 200; round += 1) await add(client, name)
        }),
      )
      expect(await add(one, name)).toBe(401)
      expect((await stand.processes()).length).toBeGreaterThan(0)
    })
  })

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

  describe('connections', () => {
    test('no more are opened than allowed, and commands wait for one', async () => {
      const client = open(undefined, { connections: 2 })
      const name = randomUUID()
      await Promise.all(Array.from({ length: 40 }, (_, index) => add(client, `${name} ${index}`)))
      const opened = (await stand.processes()).length
      expect(opened).toBeGreaterThan(0)
      expect(opened).toBeLessThanOrEqual(2)
      await client.session.close()
      await until(async () => (await stand.processes()).length === 0, { what: 'they are closed' })
    })

    test('a server without room for more goes on with those that there are', async () => {
      await stand.pool.query(`CREATE ROLE guest LOGIN CONNECTION LIMIT 2;
        GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_locks TO guest`)
      const guests = applicationWith({ user: 'guest' })
      const client = open(guests)
      const name = randomUUID()
      const counts = await Promise.all(
        Array.from({ length: 20 }, (_, index) => add(client, `${name} ${index}`)),
      )
      expect(counts).toEqual(counts.map(() => 1))
      await client.session.inbox?.opened().catch(() => undefined)
      const refused = await failureOf(add(open(guests)))
      expect(refused).toMatchObject({ reason: 'not-ready', transient: true })
    })

    test('a server that hangs fails commands in their time, and closing does not wait for it', async () => {
      const client = open(undefined, {}, { commandTimeoutMs: lasting(300) })
      await add(client, 'hung')
      await client.session.inbox?.opened()
      const pids = await stand.processes()
      const signal = (name: string) => run('kill', [`-${name}`, ...pids.map(String)])
      await signal('STOP')
      try {
        expect(await failureOf(add(client, 'hung'))).toMatchObject({ reason: 'timeout', transient: true })
        // The server lives: another connection does.
        expect(await add(client, 'hung')).toBeGreaterThan(1)
        client.session.inbox?.doubt()
        await until(() => client.missed() > 0, { what: 'the silent one is found out' })
        const late = failureOf(add(client, 'other'))
        await client.session.close()
        expect(await late).toBeInstanceOf(StoreError)
      } finally {
        await signal('CONT')
      }
    })
  })
})
