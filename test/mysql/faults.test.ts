/** What happens when the server, its settings or the network are not as they should be. */
import { createConnection as createWithCallbacks } from 'mysql2'
import { describe, expect, test } from 'vitest'
import { InvalidArgumentError } from '../../src/base/errors/errors.js'
import { ClientConnection } from '../../src/stores/mysql/client-connection.js'
import { type MysqlConnection, mysql } from '../../src/stores/mysql/index.js'
import { add, copy, failureOf, tallies } from '../postgres/tally.js'
import { bringSqlServer, whyNot } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { type Extra, libraries, libraryNames, openClient } from './clients.js'
import { onServers, Stand } from './stand.js'

await onServers('faults', (product) => {
  const stand = new Stand(product)

  describe.each(libraryNames)('with %s', (library) => {
    const connect = (extra?: Extra) => () => stand.connect(library, extra)
    const gone = async (before: readonly number[]): Promise<boolean> =>
      (await stand.connections()).every((id) => before.includes(id))

    test('one that is given up in the very moment of an answer is closed', async () => {
      const before = await stand.connections()
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
      await until(() => gone(before), { what: 'it is closed' })
    })

    test('a server that is read-only is told as such, and works again when it is not', async () => {
      await stand.run(`CREATE USER IF NOT EXISTS reader IDENTIFIED BY 'reader';
        GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.* TO reader; SET GLOBAL read_only = 1`)
      const client = stand.client(connect({ user: 'reader', password: 'reader' }))
      try {
        const failure = await failureOf(add(client, `read only ${library}`))
        expect(failure).toMatchObject({ reason: 'read-only', transient: true })
      } finally {
        await stand.run('SET GLOBAL read_only = 0')
      }
      expect(await add(client, `read only ${library}`)).toBe(1)
    })

    test('an attempt to connect that never settles fails in its time; what comes later is closed', async () => {
      let give: (connection: MysqlConnection) => void = () => undefined
      const never = new Promise<MysqlConnection>((resolve) => {
        give = resolve
      })
      const client = stand.client(() => never, {}, { commandTimeoutMs: 200 })
      expect(await failureOf(add(client))).toMatchObject({ reason: 'timeout', transient: true })
      const late = await connect()()
      late.on('error', () => undefined)
      give(late)
      await until(() => gone([]), { what: 'it is closed' })
    })
  })
})

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
