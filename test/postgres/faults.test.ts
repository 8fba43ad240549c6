/** What happens when the server, its settings or the network are not as they should be. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { StoreError } from '../../src/base/errors/errors.js'
import { until } from '../servers/until.js'
import { lasting } from '../setup/lasting.js'
import { type Client, type Extra, libraryNames, missing, type openClient, Stand, title } from './server.js'
import { add, copy, failureOf, tallies } from './tally.js'

const run = promisify(execFile)

type OpenWith = Parameters<typeof openClient> extends [unknown, ...infer Others] ? Others : never

describe.skipIf(missing).each(libraryNames)(`${title} by %s: faults`, (library) => {
  const stand = new Stand()

  const applicationWith = (extra?: Extra) => stand.application(library, extra)
  const open = (
    application: Parameters<typeof openClient>[0] = applicationWith(),
    ...others: OpenWith
  ): Client => stand.client(application, ...others)

  describe('the table', () => {
    test('without it, the error says what to do', async () => {
      const error = await failureOf(add(open(undefined, { table: 'nowhere' }), 'row'))
      expect(error).toMatchObject({ reason: 'not-ready', transient: false, lockName: 'row' })
      expect(error.message).toContain('holdfast schema postgres')
      expect((await failureOf(add(open(undefined, { table: 'nowhere.locks' })))).reason).toBe('not-ready')
    })

    test('another one of that name is told as such', async () => {
      await stand.pool.query('CREATE TABLE other (keyspace text, name text, colour text)')
      const error = await failureOf(add(open(undefined, { table: 'other' })))
      expect(error).toMatchObject({ reason: 'wrong-type', transient: false })
    })

    test('many clients create it at once, and none fails', async () => {
      for (let round = 0; round < 10; round += 1) {
        const table = `race_${round}`
        const racers = Array.from({ length: 8 }, () => open(undefined, { table, createTable: true }))
        const counts = await Promise.all(racers.map((racer) => add(racer, 'row')))
        expect(Math.max(...counts)).toBe(8)
        await stand.tidy()
      }
    })

    test('it is used without a right to create tables, wanted or not', async () => {
      await stand.pool.query(`CREATE ROLE modest LOGIN;
        GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast_locks TO modest;
        REVOKE CREATE ON SCHEMA public FROM PUBLIC`)
      const client = open(applicationWith({ user: 'modest' }), { createTable: true })
      expect(await add(client, 'modest')).toBe(1)
      await client.session.inbox?.opened()
      await client.session.clean()
      for await (const name of client.session.names('latch', 'mod*')) expect(name).toBe('modest')
      const error = await failureOf(
        add(open(applicationWith({ user: 'modest' }), { table: 'refused', createTable: true })),
      )
      expect(error).toMatchObject({ reason: 'permission', transient: false })
    })

    test('it may be altered while it is used', async () => {
      const client = open()
      for (let round = 0; round < 8; round += 1) await add(client, 'altered')
      await stand.pool.query('ALTER TABLE holdfast_locks ADD COLUMN note text')
      expect(await add(client, 'altered')).toBe(9)
      await stand.pool.query('ALTER TABLE holdfast_locks DROP COLUMN note')
      expect(await add(client, 'altered')).toBe(10)
    })
  })

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

    test('one that is killed while idle is replaced, and no command fails for it', async () => {
      const client = open()
      await add(client, 'idle')
      const [pid] = await stand.processes()
      await stand.pool.query('SELECT pg_terminate_backend($1)', [pid])
      await until(async () => (await stand.processes()).length === 0, { what: 'it has ended' })
      await until(() => add(client, 'idle').catch(() => undefined), { what: 'the next one works' })
      expect(client.errors).toEqual([])
    })

    test('one that is killed in the middle of a command fails it, with an unknown outcome', async () => {
      const client = open()
      await add(client, 'killed')
      const letGo = await stand.lockRow('killed')
      const failing = failureOf(add(client, 'killed'))
      await stand.pool.query('SELECT pg_terminate_backend($1)', [await stand.blocked()])
      expect(await failing).toMatchObject({ transient: true })
      await letGo()
      expect(await add(client, 'killed')).toBe(2)
    })

    test('a row that is locked for too long fails the command in its time, and the statement ends on the server', async () => {
      const client = open(undefined, {}, { commandTimeoutMs: lasting(300) })
      await add(client, 'locked')
      const letGo = await stand.lockRow('locked')
      // Whichever of the two ends it first.
      expect(await failureOf(add(client, 'locked'))).toMatchObject({ transient: true })
      await until(async () => (await stand.processes("wait_event_type = 'Lock'")).length === 0, {
        what: 'nobody waits for the row',
      })
      await letGo()
      expect(await add(client, 'locked')).toBe(2)
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

    test('a server that is not there is unreachable; what is closed says so', async () => {
      const client = open(applicationWith({ host: '127.0.0.1', port: 1 }))
      expect(await failureOf(add(client))).toMatchObject({ reason: 'unreachable', transient: true })
      expect(await failureOf(client.session.inbox?.opened() ?? Promise.resolve())).toMatchObject({
        reason: 'unreachable',
        transient: true,
      })
      await client.session.close()
      expect(await failureOf(add(client))).toMatchObject({ transient: false })
    })

    test('a command that cannot be sent in its time is rejected', async () => {
      const client = open(undefined, { connections: 1 }, { commandTimeoutMs: lasting(300) })
      await add(client, 'first')
      const [pid] = await stand.processes()
      await run('kill', ['-STOP', String(pid)])
      try {
        const failures = await Promise.all(
          ['first', 'second', 'third'].map((name) => failureOf(client.session.change(tallies, name, copy))),
        )
        expect(failures.map(({ reason }) => reason)).toEqual(['timeout', 'timeout', 'timeout'])
      } finally {
        await run('kill', ['-CONT', String(pid)])
      }
    })
  })
})
