/** Whatever becomes of a login at a database: no error, event, trace or metric tells the secrets, and none the values of a statement. */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { createConnection as createMariadb } from 'mariadb'
import { createConnection as createMysql2 } from 'mysql2/promise'
import pg from 'pg'
import postgresJs from 'postgres'
import { expect, onTestFinished, test } from 'vitest'
import { Holdfast, type Store } from '../../src/index.js'
import { getLock, mysql } from '../../src/stores/mysql/index.js'
import { advisory, postgres } from '../../src/stores/postgres/index.js'
import { rowLock, sql } from '../../src/transactions/index.js'
import { libraries } from '../mysql/clients.js'
import { freePort } from '../servers/port.js'
import { standIn } from '../servers/stand-in.js'
import { onDatabases } from '../setup/databases.js'
import { Marker, rejection, useWithout } from '../setup/marker.js'
import { loginOf } from '../transactions/application.js'

interface Login {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
}

function urlOf(scheme: string, { host, port, user, password, database }: Login): string {
  return `${scheme}://${user}:${password}@${host}:${port}/${database}`
}

function poolOf(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options)
  pool.on('error', () => undefined)
  onTestFinished(() => pool.end())
  return pool
}

function sqlOf(login: Login): postgresJs.Sql {
  const made = postgresJs({ ...login, connect_timeout: 1, onnotice: () => undefined })
  onTestFinished(() => made.end({ timeout: 0 }))
  return made
}

const stores: Readonly<Record<'PostgreSQL' | 'MySQL', Readonly<Record<string, (login: Login) => Store>>>> = {
  PostgreSQL: {
    'pg, URL': (login) => postgres(poolOf({ connectionString: urlOf('postgres', login) })),
    'pg, password as a function': ({ password, ...login }) =>
      postgres(poolOf({ ...login, password: async () => password })),
    'pg, advisory': (login) => advisory(poolOf({ ...login })),
    postgres: (login) => postgres(sqlOf(login)),
  },
  MySQL: {
    'mysql2, URL': (login) => mysql({ connect: () => createMysql2(urlOf('mysql', login)) }),
    'mysql2, GET_LOCK': (login) => getLock({ connect: () => createMysql2({ ...login }) }),
    mariadb: (login) => mysql({ connect: () => createMariadb({ ...login, connectTimeout: 500 }) }),
    'mariadb, URL': (login) => mysql({ connect: () => createMariadb(urlOf('mariadb', login)) }),
  },
}

const HASTE = { commandTimeoutMs: 1_000, storeTimeoutMs: 300 }

const strangers: Readonly<Record<string, (socket: Socket) => void>> = {
  'hangs up': (socket) => socket.destroy(),
  'speaks HTTP, and repeats all': (socket) => {
    socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')
    socket.on('data', (data) => socket.write(data))
  },
}

await onDatabases(['PostgreSQL', 'MariaDB', 'MySQL'], (database, product) => {
  const all = Object.entries(stores[product === 'PostgreSQL' ? 'PostgreSQL' : 'MySQL'])
  const tried = async (where: Pick<Login, 'host' | 'port'>): Promise<void> => {
    const used = all.map(async ([library, make]) => {
      const marker = new Marker(library)
      const { text } = marker
      const user = `user_${text}`.slice(0, 31)
      const login = { ...where, user, password: `pass_${text}`, database: 'main' }
      const errors = await useWithout(marker, new Holdfast(make(login), HASTE), randomUUID())
      expect(errors, library).not.toEqual([])
    })
    await Promise.all(used)
  }

  test('faults A2: a login that the server refuses', async () => {
    const { host, port } = database().address
    await tried({ host, port })
  })

  test.each(Object.entries(strangers))('faults A2: a login where the server %s', async (_, greet) => {
    const stranger = await standIn(greet)
    onTestFinished(() => stranger.stop())
    await tried(stranger)
  })

  test('faults A2: a login where nobody listens', async () => {
    await tried({ host: '127.0.0.1', port: await freePort() })
  })

  test('faults A2: the values of a statement that fails', async () => {
    const login = loginOf(database().address)
    const marker = new Marker()
    const statement = sql`SELECT * FROM nowhere WHERE token = ${marker.text} FOR UPDATE`
    const failed = async (tx: Parameters<typeof rowLock>[0]): Promise<void> => {
      const error = await rejection(() => rowLock(tx, statement))
      expect(error).toMatchObject({ code: 'STORE_ERROR', cause: expect.anything() })
      marker.expectNone(error, 'the error')
    }
    if (product === 'PostgreSQL') {
      const client = await poolOf(login).connect()
      await client.query('BEGIN')
      await failed(client)
      client.release(true)
      await sqlOf(login)
        .begin(async (tx) => await failed(tx))
        .catch(() => undefined)
    } else {
      for (const connect of [libraries.mysql2, libraries.mariadb]) {
        const connection = await connect(database().address)
        await connection.query('BEGIN')
        await failed(connection)
        await connection.end()
      }
    }
  })
})
