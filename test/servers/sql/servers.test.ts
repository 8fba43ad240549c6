import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { onDatabases } from '../../setup/databases.js'
import { bringSqlServer, PostgresPair, type ProductName, type SqlAddress } from './index.js'

interface Session {
  query(statement: string): Promise<string | undefined>
  end(): Promise<void>
}

/** Over TCP with the password, or by the Unix socket. */
async function connect(product: ProductName, address: SqlAddress, by: 'tcp' | 'socket'): Promise<Session> {
  const { host, port, dir, user, password, database } = address
  if (product === 'PostgreSQL') {
    const client = new pg.Client({ host: by === 'tcp' ? host : dir, port, user, password, database })
    client.on('error', () => undefined)
    await client.connect()
    const query = async (text: string): Promise<string | undefined> => {
      const { rows } = await client.query({ text, rowMode: 'array' })
      return rows[0] && String(rows[0][0])
    }
    return { query, end: () => client.end() }
  }
  const place = by === 'tcp' ? { host, port } : { socketPath: join(dir, 'socket') }
  const connection = await createConnection({ ...place, user, password, database, rowsAsArray: true })
  const query = async (text: string): Promise<string | undefined> => {
    const [rows] = await connection.query(text)
    const row: unknown = Array.isArray(rows) ? rows[0] : undefined
    return Array.isArray(row) ? String(row[0]) : undefined
  }
  return { query, end: () => connection.end() }
}

const setting = {
  PostgreSQL: ['lock_timeout', '1234ms', 'SHOW lock_timeout'],
  MariaDB: ['lock_wait_timeout', '1234', 'SELECT @@lock_wait_timeout'],
  MySQL: ['lock_wait_timeout', '1234', 'SELECT @@lock_wait_timeout'],
} as const

await onDatabases(['PostgreSQL', 'MariaDB', 'MySQL'], (database, product) => {
  test.each(['tcp', 'socket'] as const)('each file has a database of its own, reached by %s', async (by) => {
    const { address } = database()
    const session = await connect(product, address, by)
    const current = product === 'PostgreSQL' ? 'current_database' : 'database'
    expect(await session.query(`SELECT ${current}()`)).toBe(address.database)
    await session.end()
  })

  test('a server of one’s own has its settings, keeps its data through a crash, and leaves nothing behind', async () => {
    const [name, value, show] = setting[product]
    const server = await bringSqlServer(product, { settings: { [name]: value } })
    const { address } = server
    const before = await connect(product, address, 'tcp')
    expect(await before.query(show)).toBe(value)
    await before.query('CREATE TABLE kept (amount int)')
    await before.query('INSERT INTO kept VALUES (42)')
    await server.kill()
    await expect(connect(product, address, 'tcp')).rejects.toThrow('ECONNREFUSED')
    await server.start()
    const after = await connect(product, address, 'tcp')
    expect(await after.query('SELECT amount FROM kept')).toBe('42')

    await server.pause()
    let answered = false
    const answer = after.query('SELECT amount FROM kept').then((amount) => {
      answered = true
      return amount
    })
    // What did answer would do so before a server that was never stopped begins and ends.
    const other = await connect(product, database().address, 'tcp')
    await other.query('SELECT 1')
    await other.end()
    expect(answered).toBe(false)
    await server.resume()
    expect(await answer).toBe('42')

    await after.end()
    await server.stop()
    await expect(access(address.dir)).rejects.toThrow('ENOENT')
  })
})

describe('a primary and a replica', () => {
  test.each([false, true])('synchronous: %s', async (synchronous) => {
    const pair = await PostgresPair.start({ synchronous })
    const primary = await connect('PostgreSQL', pair.primary.address, 'tcp')
    expect(await primary.query('SELECT sync_state FROM pg_stat_replication')).toBe(
      synchronous ? 'sync' : 'async',
    )
    await primary.query('CREATE TABLE kept (amount int)')
    await pair.untilFollows()
    const replica = await connect('PostgreSQL', pair.replica.address, 'tcp')
    await expect(replica.query('INSERT INTO kept VALUES (1)')).rejects.toMatchObject({ code: '25006' })
    await pair.primary.kill()
    await pair.promote()
    await replica.query('INSERT INTO kept VALUES (1)')
    expect(await replica.query('SELECT count(*) FROM kept')).toBe('1')
    await replica.end()
    await pair.stop()
  })
})
