/** What happens when the server, its table, its users or its connections are not as they should be, whichever the database. */
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { ClientConnection } from '../../src/stores/mysql/client-connection.js'
import type { MysqlConnection } from '../../src/stores/mysql/index.js'
import { libraries, libraryNames, openClient } from '../mysql/clients.js'
import { add, copy, failureOf, tallies } from '../postgres/tally.js'
import { until } from '../servers/until.js'
import { lasting } from '../setup/lasting.js'
import { useAll } from '../setup/row-use.js'
import { onOwnServers } from './own-servers.js'

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const

await onOwnServers('faults', (server) => {
  const inPostgres = server.product === 'PostgreSQL'
  let name: string
  beforeEach(() => {
    name = randomUUID()
  })

  const untilGone = async (before: readonly number[]): Promise<void> => {
    const gone = async () => (await server.connections()).every((each) => before.includes(each))
    await until(gone, { what: 'what was given up is closed' })
  }

  describe('the table', () => {
    test('without it, the error says what to do', async () => {
      const error = await failureOf(add(server.client({}, { table: 'nowhere' }), 'row'))
      expect(error).toMatchObject({ reason: 'not-ready', transient: false, lockName: 'row' })
      expect(error.message).toContain(inPostgres ? 'holdfast schema postgres' : 'mysqlSchema()')
      if (!inPostgres) return
      expect((await failureOf(add(server.client({}, { table: 'nowhere.locks' })))).reason).toBe('not-ready')
    })

    test('another one of that name is told as such', async () => {
      await server.run('CREATE TABLE IF NOT EXISTS other (keyspace INT, name INT, colour INT)')
      const error = await failureOf(add(server.client({}, { table: 'other' })))
      expect(error).toMatchObject({ reason: 'wrong-type', transient: false })
    })

    test('many clients create it at once, and none fails', async () => {
      for (let round = 0; round < 5; round += 1) {
        const options = { table: `race_${name.slice(0, 8)}_${round}`, createTable: true }
        const racers = Array.from({ length: 8 }, () => server.client({}, options))
        expect(Math.max(...(await Promise.all(racers.map((racer) => add(racer, 'row')))))).toBe(8)
        await Promise.all(racers.map(({ session }) => session.close()))
      }
    })

    test('it may be altered while it is used', async () => {
      const client = server.client()
      for (let round = 0; round < 8; round += 1) await add(client, name)
      await server.run('ALTER TABLE holdfast_locks ADD COLUMN note TEXT')
      expect(await add(client, name)).toBe(9)
      await server.run('ALTER TABLE holdfast_locks DROP COLUMN note')
      expect(await add(client, name)).toBe(10)
    })
  })

  describe('rights', () => {
    // One that is to be cleaned away: to delete nothing, MySQL and MariaDB ask for no right.
    beforeEach(async () => {
      const [columns, values] = inPostgres ? [', waiting', ", '{}'"] : ['', '']
      await server.run(`INSERT INTO holdfast_locks (keyspace, name, version, holds${columns})
        VALUES ('latch', 'old ${name}', 1, 0${values})`)
    })

    test('those of the page are enough for all that Holdfast does, whether it is to create the table or not', async () => {
      const modest = await server.userWith(RIGHTS)
      const client = server.client(modest, { createTable: true })
      await useAll(client.session)
      await client.session.inbox?.opened()
      expect(client.errors).toEqual([])
      for await (const found of client.session.names('latch', '*')) expect(found).not.toContain('old')
      const error = await failureOf(add(server.client(modest, { table: 'refused', createTable: true })))
      expect(error).toMatchObject({ reason: 'permission', transient: false })
    })

    test.each(RIGHTS)('without %s something is refused, and the error says what is needed', async (right) => {
      const client = server.client(await server.userWith(RIGHTS.filter((each) => each !== right)))
      const failure = await failureOf(useAll(client.session))
      expect(failure).toMatchObject({ reason: 'permission', transient: false })
      expect(failure.message).toContain('SELECT, INSERT, UPDATE and DELETE')
    })
  })

  describe('connections', () => {
    test('one that is killed while idle is replaced, and no command fails for it', async () => {
      const client = server.client()
      await add(client, name)
      // One of the test before may be ending by itself.
      for (const connection of await server.connections()) await server.end(connection).catch(() => undefined)
      await until(async () => (await server.connections()).length === 0, { what: 'it has ended' })
      await until(() => add(client, name).catch(() => undefined), { what: 'the next one works' })
      expect(client.errors).toEqual([])
    })

    test('a row that is locked for too long fails the command in its time', async () => {
      const client = server.client({}, {}, { commandTimeoutMs: lasting(inPostgres ? 1_000 : 1_500) })
      await add(client, name)
      const letGo = await server.lockRow(name)
      // Whichever of the two ends it first.
      expect(await failureOf(add(client, name))).toMatchObject({ transient: true })
      if (inPostgres)
        await until(async () => (await server.blocked()) === undefined, { what: 'the statement ends' })
      await letGo()
      // In MySQL and MariaDB, what was given up may have been done after all.
      expect(await add(client, name)).toBeLessThanOrEqual(inPostgres ? 2 : 3)
    })

    test('a server that is not there is unreachable; what is closed says so', async () => {
      const client = server.client({ host: '127.0.0.1', port: 1 })
      const unreachable = { reason: 'unreachable', transient: true }
      expect(await failureOf(add(client))).toMatchObject(unreachable)
      if (inPostgres) await expect(client.session.inbox?.opened()).rejects.toMatchObject(unreachable)
      await client.session.close()
      expect(await failureOf(add(client))).toMatchObject({ transient: false })
    })

    test('a server without room for more goes on with those that there are', async () => {
      const guest = await server.userWith(RIGHTS)
      await server.run(
        inPostgres
          ? `ALTER ROLE ${guest.user} CONNECTION LIMIT 2`
          : `ALTER USER ${guest.user} WITH MAX_USER_CONNECTIONS 1`,
      )
      const client = server.client(guest)
      const names = Array.from({ length: 20 }, (_, index) => `${name} ${index}`)
      const counts = await Promise.all(names.map((each) => add(client, each)))
      expect(counts).toEqual(counts.map(() => 1))
      await client.session.inbox?.opened().catch(() => undefined)
      const refused = await failureOf(add(server.client(guest)))
      expect(refused).toMatchObject({ reason: 'not-ready', transient: true })
    })

    test('a server that hangs fails commands in their time, and closing does not wait for it', async () => {
      const before = await server.connections()
      const client = server.client({}, {}, { commandTimeoutMs: lasting(1_000) })
      await add(client, name)
      await client.session.inbox?.opened()
      const thaw = await server.freeze()
      try {
        expect(await failureOf(add(client, name))).toMatchObject({ reason: 'timeout', transient: true })
        if (inPostgres) {
          // The server lives: another connection does.
          expect(await add(client, name)).toBeGreaterThan(1)
          client.session.inbox?.doubt()
          await until(() => (client.missed?.() ?? 0) > 0, { what: 'the silent one is found out' })
        } else {
          // A connection that cannot be opened: the client library's own time may be up first.
          const reason = expect.stringMatching('timeout|unreachable')
          expect(await failureOf(add(client, name))).toMatchObject({ reason, transient: true })
        }
        const late = failureOf(add(client, 'other'))
        await client.session.close()
        expect(await late).toMatchObject({ code: 'STORE_ERROR' })
      } finally {
        await thaw()
      }
      await untilGone(before)
      expect(await add(server.client(), name)).toBeGreaterThan(1)
    })

    test('a command that cannot be sent in its time is rejected', async () => {
      const client = server.client({}, { connections: 1 }, { commandTimeoutMs: lasting(1_000) })
      await add(client, name)
      const thaw = await server.freeze()
      try {
        const failures = await Promise.all(
          [name, 'second', 'third'].map((each) => failureOf(client.session.change(tallies, each, copy))),
        )
        expect(failures.map(({ reason }) => reason)).toEqual(['timeout', 'timeout', 'timeout'])
      } finally {
        await thaw()
      }
    })
  })
  const library = libraryNames.find((each) => each === server.library)
  if (library === undefined) return

  test('a connection that is given up in the very moment of an answer is closed', async () => {
    const before = await server.connections()
    const connection = new ClientConnection(async () => {
      const client = await libraries[library](server.address)
      const ping = client.ping.bind(client)
      // As if the answer always came before the time is up.
      return Object.assign(client, { ping: () => ping() })
    })
    await connection.connect()
    const answer = connection.query('SELECT 1')
    connection.destroy()
    await expect(answer).rejects.toThrow()
    await untilGone(before)
  })

  test('a server that is read-only is told as such, and works again when it is not', async () => {
    const client = server.client(await server.userWith(RIGHTS))
    await server.run('SET GLOBAL read_only = 1')
    try {
      expect(await failureOf(add(client, name))).toMatchObject({ reason: 'read-only', transient: true })
    } finally {
      await server.run('SET GLOBAL read_only = 0')
    }
    expect(await add(client, name)).toBe(1)
  })

  test('an attempt to connect that never settles fails in its time; what comes later is closed', async () => {
    const before = await server.connections()
    let give: (connection: MysqlConnection) => void = () => undefined
    const never = new Promise<MysqlConnection>((resolve) => {
      give = resolve
    })
    const { session } = openClient(() => never, {}, { commandTimeoutMs: 200 })
    expect(await failureOf(add({ session }))).toMatchObject({ reason: 'timeout', transient: true })
    const late = await libraries[library](server.address)
    late.on('error', () => undefined)
    give(late)
    await untilGone(before)
    await session.close()
  })
})
