/** Servers, options and connections that are refused. */
import { createConnection as createWithCallbacks } from 'mysql2'
import { expect, test } from 'vitest'
import { InvalidArgumentError } from '../../src/base/errors/errors.js'
import { mysql } from '../../src/stores/mysql/index.js'
import { copy, tallies } from '../postgres/tally.js'
import { bringSqlServer, whyNot } from '../servers/sql/index.js'
import { libraries, libraryNames, openClient } from './clients.js'

// Only MariaDB can be told to call itself something else.
test.skipIf(await whyNot('MariaDB')).each([
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
