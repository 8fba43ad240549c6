/** As whom, and how safely, Holdfast comes to the server: as the application does, and with no more rights than the page says. */
import driver from 'pg'
import { describe, expect, test } from 'vitest'
import { mysqlSchema } from '../../src/stores/mysql/index.js'
import { postgresSchema } from '../../src/stores/postgres/schema.js'
import * as pg from '../postgres/server.js'
import { add, failureOf } from '../postgres/tally.js'
import { bringSqlServer } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { certificate, trust } from '../setup/certificate.js'
import { useAll } from '../setup/row-use.js'
import { type Login, onOwnServers } from './own-servers.js'
import type { SqlClient } from './sql-clients.js'

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const

await onOwnServers(
  'credentials',
  (server) => {
    const { library } = server
    const inPostgres = server.product === 'PostgreSQL'
    /** By TCP, where the server asks for a password and for TLS. */
    const plain = (): Login =>
      inPostgres ? { host: '127.0.0.1', password: server.address.password } : { ssl: false }
    const byTls = (login: Login = {}): Login =>
      inPostgres ? { ...plain(), ssl: trust.right, ...login } : login
    const open = (login?: Login, table?: string): SqlClient =>
      server.client(byTls(login), table === undefined ? {} : { table })
    const refusalOf = (login: Login) => failureOf(add(open(login)))
    const endAll = async (user?: string): Promise<void> => {
      for (const connection of await server.connections(user)) await server.end(connection)
    }
    const nextWorks = (client: SqlClient) =>
      until(() => add(client).catch(() => undefined), { what: 'the next command works' })

    test('all connections have TLS, and are used and broken as others are', async () => {
      const client = open()
      await useAll(client.session)
      await client.session.inbox?.opened()
      const encrypted = async () => {
        const { rows } = Object(
          await server.run(`SELECT s.ssl FROM pg_stat_ssl AS s
          JOIN pg_stat_activity AS a USING (pid) WHERE a.application_name = 'holdfast'`),
        )
        return rows
      }
      if (inPostgres) expect(await encrypted()).toEqual([{ ssl: true }, { ssl: true }])
      await endAll()
      await nextWorks(client)
      await client.session.close()
      await until(async () => (await server.connections()).length === 0, { what: 'they are closed' })
    })

    const foreign =
      inPostgres || library === 'mariadb' ? (['wrong', 'elsewhere'] as const) : (['wrong'] as const)
    test.each(foreign)(
      'a certificate that is %s is refused, and the error says what to do',
      async (which) => {
        const failure = await refusalOf({ ssl: trust[which] })
        expect(failure).toMatchObject({ reason: 'unreachable', transient: false })
        const byName = which === 'elsewhere' && !inPostgres
        expect(failure.message).toContain(byName ? 'by a name that it is for' : 'pass the CA that signed it')
      },
    )

    test('who comes without it is told to use it', async () => {
      const failure = await failureOf(add(server.client(plain())))
      expect(failure).toMatchObject({ reason: 'permission', transient: false })
      expect(failure.message).toContain(inPostgres ? 'with TLS only' : 'TLS')
    })

    test('a wrong user or password, and a missing database, are told as such', async () => {
      for (const login of [{ user: 'root_of_nothing' }, { password: 'wrong' }, { database: 'nowhere' }])
        expect(await refusalOf(login)).toMatchObject({ reason: 'permission', transient: false })
    })

    test('the password is asked for each time, where it is a function', async () => {
      const { user } = await server.userWith(RIGHTS)
      const set = (password: string) =>
        server.run(
          inPostgres
            ? `ALTER ROLE ${user} PASSWORD '${password}'`
            : `ALTER USER ${user} IDENTIFIED BY '${password}'`,
        )
      let current = 'first'
      await set(current)
      const client = open({ user, password: async () => current })
      await add(client)
      current = 'second'
      await set(current)
      await endAll(user)
      await nextWorks(client)
      const gone = new Error('the vault is closed')
      const failure = await refusalOf({ user, password: () => Promise.reject(gone) })
      expect(failure).toMatchObject({ transient: true, cause: gone })
    })

    test('names and passwords may have any characters', async () => {
      const hostile = `o'b"\\ \`Ünï\` %s;-- ${library}`
      const mark = inPostgres ? '"' : '`'
      const quoted = mark + hostile.replaceAll(mark, mark + mark) + mark
      const table = `${quoted}.${quoted}`
      const there = { ...server.address, database: hostile }
      const rights = `GRANT ${RIGHTS.join(', ')} ON ${table} TO`
      if (inPostgres) {
        await server.run(`CREATE ROLE ${quoted} LOGIN PASSWORD ${driver.escapeLiteral(hostile)}`)
        await server.run(`CREATE DATABASE ${quoted} OWNER ${quoted}`)
        const owner = pg.poolOf(there)
        await owner.query(`CREATE SCHEMA ${quoted} AUTHORIZATION ${quoted}; ${postgresSchema({ table })};
          ${rights} ${quoted}`)
        await owner.end()
      } else {
        const user = `'${hostile.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
        await server.run(`CREATE DATABASE ${quoted}; ${mysqlSchema({ table })};
          CREATE USER ${user} IDENTIFIED BY ${user}; ${rights} ${user}`)
      }
      const client = open({ user: hostile, password: hostile, database: hostile }, table)
      await useAll(client.session)
      await client.session.inbox?.opened()
      expect(await add(client, hostile)).toBe(1)
    })

    test('a server without TLS is told as such', async () => {
      const settings: Readonly<Record<string, string>> = {
        ...(server.product === 'MariaDB' && { ssl: '0' }),
        ...(server.product === 'MySQL' && { tls_version: '' }),
      }
      const plain = await bringSqlServer(server.product, { settings })
      const { port, password } = plain.address
      const failure = await refusalOf({ port, password, ssl: trust.right })
      expect(failure).toMatchObject({ reason: 'unreachable', transient: false })
      expect(failure.message).toContain('The server has no TLS')
      await plain.stop()
    })

    describe.runIf(inPostgres)('in PostgreSQL', () => {
      test('a password that comes too late is used no more', async () => {
        let give: (password: string) => void = () => undefined
        const late = new Promise<string>((resolve) => {
          give = resolve
        })
        let asked = false
        const password = (): Promise<string> => {
          asked = true
          return late
        }
        const client = open({ password })
        const failing = failureOf(add(client))
        await until(() => asked, { what: 'it is asked for' })
        await client.session.close()
        give(server.address.password)
        await failing
        expect(await server.connections()).toEqual([])
      })

      test('without the right to use the schema all is refused', async () => {
        const { user } = await server.userWith([])
        await server.run(`CREATE SCHEMA IF NOT EXISTS app; ${postgresSchema({ table: 'app.locks' })};
          GRANT ${RIGHTS.join(', ')} ON app.locks TO ${user}`)
        const failure = await failureOf(useAll(server.client({ user }, { table: 'app.locks' }).session))
        expect(failure).toMatchObject({ reason: 'permission', transient: false })
        expect(failure.message).toContain('USAGE')
      })
    })
  },
  { tls: certificate },
)
