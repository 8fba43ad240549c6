/** `mysql(pool)`: the application's pool says where the server is, and stays the application's. */
import { randomUUID } from 'node:crypto'
import { createPool as createMariadbPool } from 'mariadb'
import { createPool as createMariadbCallbackPool } from 'mariadb/callback'
import { createPool as createCallbackPool, createConnection } from 'mysql2'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast } from '../../src/index.js'
import { getLock, type MysqlPool, mysql } from '../../src/stores/mysql/index.js'
import { until } from '../servers/until.js'
import { onDatabases } from '../setup/databases.js'
import { loginOf } from '../transactions/application.js'
import { Wire } from '../wire/wire.js'

/** A pool, and what its application does with it. */
interface Used {
  readonly pool: MysqlPool
  /** The same, with promises. */
  readonly own: { getConnection(): Promise<{ release(): unknown }>; end(): Promise<void> }
  ask(sql: string): Promise<unknown>
}

type Login = Omit<ReturnType<typeof loginOf>, 'database'> & { readonly database?: string }

const pools = {
  'mysql2/promise': (login: Login): Used => {
    const pool = createPool({ ...login, connectionLimit: 1 })
    return { pool, own: pool, ask: async (sql) => (await pool.query(sql))[0] }
  },
  mysql2: (login: Login): Used => {
    const pool = createCallbackPool({ ...login, connectionLimit: 1 })
    const own = pool.promise()
    return { pool, own, ask: async (sql) => (await own.query(sql))[0] }
  },
  mariadb: (login: Login): Used => {
    // Room for the application, and for each of two clients.
    const room = { connectionLimit: 3, minimumIdle: 1 }
    const pool = createMariadbPool({ ...login, ...room, allowPublicKeyRetrieval: true })
    return { pool, own: pool, ask: (sql) => pool.query(sql) }
  },
} as const

await onDatabases(['MariaDB', 'MySQL'], (database) => {
  describe.each(Object.entries(pools))('users 7: a pool of %s', (_, poolAt) => {
    const use = (): Used => {
      const used = poolAt(loginOf(database().address))
      onTestFinished(() => used.own.end())
      return used
    }
    const holdfastOn = (pool: MysqlPool): Holdfast => {
      const holdfast = new Holdfast(mysql(pool, { createTable: true, connections: 1 }))
      onTestFinished(() => holdfast.close())
      return holdfast
    }

    test('two clients on it exclude each other, while the application uses it', async () => {
      const { pool, own } = use()
      const taken = await own.getConnection()
      const name = randomUUID()
      const [one, other] = [holdfastOn(pool), holdfastOn(pool)]
      const hold = await one.lock(name).acquire()
      expect(await other.lock(name).tryAcquire()).toBeNull()
      await hold.release()
      await using _ = await other.lock(name).acquire()
      taken.release()
    })

    test('L3: what the application has done on its connections does not count', async () => {
      const { pool, ask } = use()
      await ask('SET timestamp = 1')
      await using hold = await holdfastOn(pool).fencedLock(randomUUID()).acquire()
      expect(Number(hold.fence)).toBeGreaterThan(Date.now() * 500)
    })

    test('a pool that names no database will do where the table names its own', async () => {
      const { database: named, ...login } = loginOf(database().address)
      const { pool, own, ask } = poolAt(login)
      onTestFinished(() => own.end())
      await ask('SET timestamp = 1')
      const holdfast = new Holdfast(mysql(pool, { table: `${named}.named_locks`, createTable: true }))
      onTestFinished(() => holdfast.close())
      await using hold = await holdfast.fencedLock(randomUUID()).acquire()
      expect(Number(hold.fence)).toBeGreaterThan(Date.now() * 500)
      const other = new Holdfast(getLock(pool))
      onTestFinished(() => other.close())
      await using _ = await other.lock(randomUUID()).acquire()
    })

    test('it is never ended, and its connections have the settings that the application gave them', async () => {
      const { pool, ask } = use()
      const settings = 'SELECT @@SESSION.sql_mode AS mode, @@SESSION.lock_wait_timeout AS wait'
      const before = await ask(settings)
      for (let round = 0; round < 4; round += 1) {
        const holdfast = holdfastOn(pool)
        await holdfast.lock(randomUUID()).withLock(() => ask('SELECT 1'))
        await holdfast.close()
      }
      expect(await ask(settings)).toEqual(before)
      const count = 'SELECT COUNT(*) AS count FROM information_schema.processlist WHERE db = DATABASE()'
      const connections = async (): Promise<number> => {
        const [row] = [await ask(count)].flat()
        return Number(Reflect.get(Object(row), 'count'))
      }
      // Two of the application's, at most.
      await until(async () => (await connections()) <= 2, { what: 'no connection of Holdfast is left' })
    })

    test('GET_LOCK takes one too', async () => {
      const { pool } = use()
      const holdfast = new Holdfast(getLock(pool))
      onTestFinished(() => holdfast.close())
      await using _ = await holdfast.lock(randomUUID()).acquire()
    })
  })

  test('a connection of a pool of mariadb that falls silent gives its place back', async () => {
    const { address } = database()
    const wire = await Wire.before(address)
    onTestFinished(() => wire.stop())
    const login = { ...loginOf(address), port: wire.port, allowPublicKeyRetrieval: true }
    // As one that the application has used a moment ago: its pool does not ask whether it lives.
    const pool = createMariadbPool({
      ...login,
      connectionLimit: 2,
      minimumIdle: 1,
      minDelayValidation: 60_000,
    })
    onTestFinished(() => pool.end())
    await pool.query('SELECT 1')
    const holdfast = new Holdfast(mysql(pool, { createTable: true }), {
      commandTimeoutMs: 200,
      watchdogMs: 5_000,
    })
    onTestFinished(() => holdfast.close())
    wire.hush()
    await expect(holdfast.lock(randomUUID()).tryAcquire()).rejects.toMatchObject({ reason: 'timeout' })
    await until(() => pool.activeConnections() === 0, { what: 'its place is free' })
  })

  test('users 7: a password that the application has changed in its pool is used, and shown nowhere', async () => {
    const pool = createPool({ ...loginOf(database().address), password: 'hush-hush' })
    onTestFinished(() => pool.end())
    const holdfast = new Holdfast(mysql(pool, { createTable: true }))
    onTestFinished(() => holdfast.close())
    const refused = await rejectionOf(holdfast.lock('x').tryAcquire())
    expect(refused).toMatchObject({ reason: 'permission', message: expect.not.stringContaining('hush') })
    const config: object = Reflect.get(pool.pool.config, 'connectionConfig')
    Reflect.set(config, 'password', database().address.password)
    await using _ = await holdfast.lock('x').acquire()
  })
})

describe('users 8: what is no such pool is told what to write for it', () => {
  const secret = 'hush-hush'
  const url = `mysql://user:${secret}@host/database`
  test.each<[string, () => unknown, RegExp]>([
    ['a URL', () => url, /a URL.*write mysql\(createPool\(url\)\)/],
    ['options', () => ({ host: 'h', password: secret }), /write mysql\(createPool\(options\)\)/],
    ['a function', () => () => undefined, /write mysql\(\{ connect \}\)/],
    ['nothing', () => undefined, /pool is undefined.*createPool/],
    ['options without connect', () => ({ createTable: true }), /a pool of mysql2 or mariadb, or \{ connect/],
    [
      'a Pool of pg',
      () => new pg.Pool({ connectionString: `postgres://u:${secret}@h/d` }),
      /import \{ postgres \} from 'holdfast\/postgres' and write new Holdfast\(postgres\(pool\)\)/,
    ],
    [
      'a connection',
      () => {
        const connection = createConnection({ host: '127.0.0.1', port: 1, password: secret })
        connection.on('error', () => undefined)
        onTestFinished(async () => connection.destroy())
        return connection
      },
      /write new Holdfast\(mysql\(createPool\(options\)\)\), with the options of the connection/,
    ],
    [
      'a pool of mariadb/callback',
      () => {
        const pool = createMariadbCallbackPool({ host: '127.0.0.1', port: 1, password: secret })
        onTestFinished(async () => pool.end(() => undefined))
        return pool
      },
      /for mariadb import \{ createPool \} from 'mariadb'/,
    ],
  ])('%s', (_, make, says) => {
    const value = make()
    for (const store of [mysql, getLock]) {
      const call = () => Reflect.apply(store, undefined, [value])
      expect(call).toThrow(says)
      expect(call).not.toThrow(secret)
    }
  })
})
