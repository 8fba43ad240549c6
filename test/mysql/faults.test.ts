/** What happens when the server, its settings or the network are not as they should be. */
import { createConnection as createWithCallbacks } from 'mysql2'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { InvalidArgumentError, StoreError } from '../../src/base/errors/errors.js'
import { ClientConnection } from '../../src/stores/mysql/client-connection.js'
import { type MysqlConnection, mysql, mysqlSchema } from '../../src/stores/mysql/index.js'
import { add, copy, failureOf, tallies } from '../postgres/tally.js'
import { bringSqlServer, type SqlServer, whyNot } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { lasting } from '../setup/lasting.js'
import { administer, type Client, type Extra, libraries, libraryNames, openClient } from './clients.js'

for (const product of ['MariaDB', 'MySQL'] as const) {
  const refusal = await whyNot(product)
  const title = refusal === undefined ? product : `${product}: skipped (${refusal})`
  describe.skipIf(refusal !== undefined).each(libraryNames)(`${title} with %s: faults`, (library) => {
    let server: SqlServer
    const clients: Client[] = []

    beforeAll(async () => {
      server = await bringSqlServer(product)
    })
    beforeEach(() => administer(server.address, mysqlSchema()))
    afterEach(async () => {
      await Promise.all(clients.splice(0).map(({ session }) => session.close()))
    })
    afterAll(() => server?.stop())

    const connect = (extra?: Extra) => () => libraries[library](server.address, extra)
    const open = (
      extra: Extra = {},
      options: Parameters<typeof openClient>[1] = {},
      settings: Parameters<typeof openClient>[2] = {},
    ): Client => {
      const client = openClient(connect(extra), options, settings)
      clients.push(client)
      return client
    }
    const run = (sql: string) => administer(server.address, sql)
    const connections = async (): Promise<number[]> => {
      const rows = await run(
        `SELECT id AS id FROM information_schema.processlist WHERE user = 'holdfast' AND id <> CONNECTION_ID()`,
      )
      return rows.map((row) => Number(row['id']))
    }
    const killAll = async (): Promise<void> => {
      for (const id of await connections()) await run(`KILL ${id}`).catch(() => [])
    }
    const lockRow = async (name: string): Promise<() => Promise<void>> => {
      const transaction = await libraries.mysql2(server.address)
      await transaction.query('BEGIN')
      await transaction.query(`SELECT 1 FROM holdfast_locks WHERE name = '${name}' FOR UPDATE`)
      return async () => {
        await transaction.query('COMMIT')
        await transaction.end()
      }
    }

    describe('the table', () => {
      test('without it, the error says what to do', async () => {
        const error = await failureOf(add(open({}, { table: 'nowhere' }), 'row'))
        expect(error).toMatchObject({ reason: 'not-ready', transient: false, lockName: 'row' })
        expect(error.message).toContain('mysqlSchema()')
      })

      test('another one of that name is told as such', async () => {
        await run('CREATE TABLE IF NOT EXISTS other (keyspace INT, name INT, colour INT)')
        const error = await failureOf(add(open({}, { table: 'other' })))
        expect(error).toMatchObject({ reason: 'wrong-type', transient: false })
      })

      test('many clients create it at once, and none fails', async () => {
        for (let round = 0; round < 5; round += 1) {
          const table = `race_${round}`
          const racers = Array.from({ length: 8 }, () => open({}, { table, createTable: true }))
          const counts = await Promise.all(racers.map((racer) => add(racer, 'row')))
          expect(Math.max(...counts)).toBe(8)
          await run(`DROP TABLE ${table}`)
          await Promise.all(clients.splice(0).map(({ session }) => session.close()))
        }
      })

      test('it is used without a right to create tables, wanted or not', async () => {
        await run(`CREATE USER IF NOT EXISTS modest IDENTIFIED BY 'modest';
          GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.holdfast_locks TO modest`)
        const modest = { user: 'modest', password: 'modest' }
        const client = open(modest, { createTable: true })
        expect(await add(client, 'modest')).toBe(1)
        await client.session.clean()
        const { express } = client.session
        expect(await express.take({ name: 'modest', owner: 'a:1', leaseMs: 1_000 })).toBeDefined()
        const renewals = ['modest', 'other'].map((name) => ({ name, owner: 'a:1', leaseMs: 1_000 }))
        expect(await Promise.all(express.renew(renewals))).toEqual([true, false])
        for await (const name of client.session.names('latch', 'mod*')) expect(name).toBe('modest')
        const error = await failureOf(add(open(modest, { table: 'refused', createTable: true })))
        expect(error).toMatchObject({ reason: 'permission', transient: false })
      })

      test('it may be altered while it is used', async () => {
        const client = open()
        for (let round = 0; round < 8; round += 1) await add(client, 'altered')
        await run('ALTER TABLE holdfast_locks ADD COLUMN note TEXT')
        expect(await add(client, 'altered')).toBe(9)
        await run('ALTER TABLE holdfast_locks DROP COLUMN note')
        expect(await add(client, 'altered')).toBe(10)
      })
    })

    describe('connections', () => {
      test('one that is killed while idle is replaced, and no command fails for it', async () => {
        const client = open()
        await add(client, 'idle')
        await killAll()
        await until(async () => (await connections()).length === 0, { what: 'it has ended' })
        await until(() => add(client, 'idle').catch(() => undefined), { what: 'the next one works' })
        expect(client.errors).toEqual([])
      })

      test('one that is killed in the middle of a command fails it, with an unknown outcome', async () => {
        const client = open()
        await add(client, 'killed')
        const letGo = await lockRow('killed')
        const failing = failureOf(add(client, 'killed'))
        await until(
          async () =>
            (
              await run(
                "SELECT id FROM information_schema.processlist WHERE info LIKE '%UPDATE `holdfast_locks`%' AND id <> CONNECTION_ID()",
              )
            ).length > 0,
          {
            what: 'it waits for the row',
          },
        )
        const [row] = await run(
          "SELECT id AS id FROM information_schema.processlist WHERE info LIKE '%UPDATE `holdfast_locks`%' AND id <> CONNECTION_ID()",
        )
        await run(`KILL ${row?.['id']}`)
        expect(await failing).toMatchObject({ transient: true })
        await letGo()
        expect(await add(client, 'killed')).toBe(2)
      })

      test('a row that is locked for too long fails the command in its time', async () => {
        const client = open({}, {}, { commandTimeoutMs: 1_500 })
        await add(client, 'locked')
        const letGo = await lockRow('locked')
        expect(await failureOf(add(client, 'locked'))).toMatchObject({ transient: true })
        await letGo()
        // What was given up may have been done after all.
        expect(await add(client, 'locked')).toBeLessThanOrEqual(3)
      })

      test('a table that is locked for too long fails the command in its time', async () => {
        const client = open({}, {}, { commandTimeoutMs: 1_500 })
        await add(client, 'table')
        const transaction = await libraries.mysql2(server.address)
        await transaction.query('LOCK TABLES holdfast_locks WRITE')
        expect(await failureOf(add(client, 'table'))).toMatchObject({ transient: true })
        await transaction.query('UNLOCK TABLES')
        await transaction.end()
        expect(await add(client, 'table')).toBe(2)
      })

      test('one that is given up in the very moment of an answer is closed', async () => {
        const before = await connections()
        const connection = new ClientConnection(async () => {
          const client = await connect()()
          const ping = client.ping.bind(client)
          // As if the answer always came before the time is up.
          return Object.assign(client, { ping: () => ping() })
        })
        await connection.connect()
        const answer = connection.query('SELECT 1')
        connection.destroy()
        await expect(answer).rejects.toThrow()
        await until(async () => (await connections()).every((id) => before.includes(id)), {
          what: 'it is closed',
        })
      })

      test('a server that hangs fails commands in their time, and closing does not wait for it', async () => {
        const before = await connections()
        const client = open({}, {}, { commandTimeoutMs: lasting(500) })
        await add(client, 'hung')
        await server.pause()
        try {
          expect(await failureOf(add(client, 'hung'))).toMatchObject({ reason: 'timeout', transient: true })
          // A connection that cannot be opened: the client library's own time may be up first.
          expect(await failureOf(add(client, 'hung'))).toMatchObject({
            reason: expect.stringMatching('timeout|unreachable'),
            transient: true,
          })
          const late = failureOf(add(client, 'other'))
          await client.session.close()
          expect(await late).toBeInstanceOf(StoreError)
        } finally {
          await server.resume()
        }
        // What was given up is closed.
        await until(async () => (await connections()).every((id) => before.includes(id)), {
          what: 'none is left',
        })
        expect(await add(open(), 'hung')).toBeGreaterThan(1)
      })

      test('a server that has no room for more is told as such, and waited for where a connection is open', async () => {
        await run(`CREATE USER IF NOT EXISTS narrow IDENTIFIED BY 'narrow' WITH MAX_USER_CONNECTIONS 1;
          GRANT ALL ON holdfast.* TO narrow`)
        const narrow = { user: 'narrow', password: 'narrow' }
        const client = open(narrow)
        const counts = await Promise.all(['a', 'b', 'c', 'd'].map((name) => add(client, name)))
        expect(counts).toEqual([1, 1, 1, 1])
        expect(await failureOf(add(open(narrow)))).toMatchObject({ reason: 'not-ready', transient: true })
      })

      test('a server that is read-only is told as such, and works again when it is not', async () => {
        await run(`CREATE USER IF NOT EXISTS reader IDENTIFIED BY 'reader';
          GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.* TO reader; SET GLOBAL read_only = 1`)
        const client = open({ user: 'reader', password: 'reader' })
        try {
          expect(await failureOf(add(client, 'read only'))).toMatchObject({
            reason: 'read-only',
            transient: true,
          })
        } finally {
          await run('SET GLOBAL read_only = 0')
        }
        expect(await add(client, 'read only')).toBe(1)
      })

      test('a server that crashes and comes back', async () => {
        const client = open()
        const fence = await client.session.express.take({
          name: 'crash',
          owner: 'a:1',
          leaseMs: 60_000,
        })
        await server.kill()
        expect(await failureOf(add(client, 'crash'))).toMatchObject({ transient: true })
        await server.start()
        await until(() => add(client, 'crash').catch(() => undefined), { what: 'it works again' })
        expect(await client.session.express.free('crash', 'a:1')).toBe(true)
        const next = await client.session.express.take({
          name: 'crash',
          owner: 'a:1',
          leaseMs: 60_000,
        })
        expect(next).toBeGreaterThan(fence ?? 0n)
      })

      test('a server that is not there is unreachable; what is closed says so', async () => {
        const client = open({ host: '127.0.0.1', port: 1, connectTimeout: 2_000 })
        expect(await failureOf(add(client))).toMatchObject({ reason: 'unreachable', transient: true })
        await client.session.close()
        expect(await failureOf(add(client))).toMatchObject({ transient: false })
      })

      test('a wrong password and a missing database are told as such', async () => {
        for (const extra of [{ password: 'wrong' }, { database: 'nowhere' }]) {
          expect(await failureOf(add(open(extra)))).toMatchObject({ reason: 'permission', transient: false })
        }
      })

      test('an attempt to connect that never settles fails in its time; what comes later is closed', async () => {
        let give: (connection: MysqlConnection) => void = () => undefined
        const never = new Promise<MysqlConnection>((resolve) => {
          give = resolve
        })
        const client = openClient(() => never, {}, { commandTimeoutMs: 200 })
        clients.push(client)
        expect(await failureOf(add(client))).toMatchObject({ reason: 'timeout', transient: true })
        const late = await connect()()
        late.on('error', () => undefined)
        give(late)
        await until(async () => (await connections()).length === 0, { what: 'it is closed' })
      })

      test('a command that cannot be sent in its time is rejected', async () => {
        const client = open({}, { connections: 1 }, { commandTimeoutMs: lasting(500) })
        await add(client, 'first')
        await server.pause()
        try {
          const failures = await Promise.all(
            ['first', 'second', 'third'].map((name) => failureOf(client.session.change(tallies, name, copy))),
          )
          expect(failures.map(({ reason }) => reason)).toEqual(['timeout', 'timeout', 'timeout'])
        } finally {
          await server.resume()
        }
      })
    })
  })
}

const noMariadb = await whyNot('MariaDB')

// Only MariaDB can be told to call itself something else.
test.skipIf(noMariadb !== undefined).each([
  ['10.5.28-MariaDB', 'MariaDB 10.6'],
  ['5.5.5-MariaDB-log', 'MariaDB 10.6'],
  ['5.7.44-log', 'MySQL 8.0'],
])(
  'a server of version %s is refused with the first connection',
  { timeout: 60_000 },
  async (version, needed) => {
    const server = await bringSqlServer('MariaDB', { settings: { version } })
    for (const library of libraryNames) {
      const client = openClient(() => libraries[library](server.address), { createTable: true })
      await expect(client.session.change(tallies, 'row', copy)).rejects.toMatchObject({
        reason: 'not-ready',
        transient: false,
        message: expect.stringContaining(`${version}; Holdfast needs ${needed} or later`),
      })
      await client.session.close()
    }
    await server.stop()
  },
)

test('options that cannot be meant are refused', () => {
  const connect = () => Promise.reject(new Error('never called'))
  // @ts-expect-error There is no default.
  expect(() => mysql({})).toThrow(InvalidArgumentError)
  expect(() => mysql({ connect, table: '' })).toThrow('table')
  expect(() => mysql({ connect, connections: 0 })).toThrow('connections')
  expect(() => mysql({ connect, retainMs: 59_999 })).toThrow('retainMs')
})

test('what is no connection is refused with a word on what is', async () => {
  const callbacks = createWithCallbacks({ host: '127.0.0.1', port: 1 })
  callbacks.on('error', () => undefined)
  for (const made of [callbacks, Promise.resolve({})]) {
    // @ts-expect-error Neither is a promise of a connection.
    const { session } = openClient(() => made)
    await expect(session.change(tallies, 'row', copy)).rejects.toThrow('mysql2/promise')
    await session.close()
  }
})
