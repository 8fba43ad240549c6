/** As whom, and how safely, Holdfast comes to the server: as the application connects, and with no more rights than the page says. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { mysqlSchema } from '../../src/stores/mysql/index.js'
import { add, failureOf } from '../postgres/tally.js'
import { bringSqlServer, type SqlServer, whyNot } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { certificate, trust } from '../setup/certificate.js'
import { useAll } from '../setup/row-use.js'
import { administer, type Client, type Extra, libraries, libraryNames, openClient } from './clients.js'

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const

for (const product of ['MariaDB', 'MySQL'] as const) {
  const refusal = await whyNot(product)
  const title = refusal === undefined ? product : `${product}: skipped (${refusal})`
  describe.skipIf(refusal !== undefined)(`${title}: credentials`, () => {
    let server: SqlServer
    const clients: Client[] = []

    beforeAll(async () => {
      server = await bringSqlServer(product, { tls: certificate })
      await run(mysqlSchema())
    })
    afterEach(async () => {
      await Promise.all(clients.splice(0).map(({ session }) => session.close()))
    })
    afterAll(() => server?.stop())

    const run = (sql: string, values?: unknown[]) =>
      administer(server.address, sql, values, { ssl: trust.right })
    const kept = (client: Client): Client => {
      clients.push(client)
      return client
    }
    describe.each(libraryNames)('with %s', (library) => {
      const open = (extra: Extra = {}, table?: string): Client =>
        kept(
          openClient(
            () => libraries[library](server.address, { ssl: trust.right, ...extra }),
            table === undefined ? {} : { table },
          ),
        )

      test('all connections have TLS, and are used and broken as others are', async () => {
        const client = open({ user: 'root_of_nothing' })
        expect(await failureOf(add(client))).toMatchObject({ reason: 'permission' })
        const good = open()
        await useAll(good.session)
        const [row] = await run(
          "SELECT id AS id FROM information_schema.processlist WHERE user = 'holdfast' AND id <> CONNECTION_ID()",
        )
        await run(`KILL ${Number(row?.['id'])}`)
        await until(() => add(good).catch(() => undefined), { what: 'the next command works' })
      })

      test('a certificate with an authority that did not sign it is refused, and the error says what to do', async () => {
        const failure = await failureOf(add(open({ ssl: trust.wrong })))
        expect(failure).toMatchObject({ reason: 'unreachable', transient: false })
        expect(failure.message).toContain('pass the CA that signed it')
      })

      test('who comes without it is told to use it', async () => {
        const failure = await failureOf(add(open({ ssl: undefined })))
        expect(failure).toMatchObject({ reason: 'permission', transient: false })
        expect(failure.message).toContain('TLS')
      })

      test('the password is asked for each time, where the function asks for it', async () => {
        const user = `rotated_${library}`
        await run(`CREATE USER ${user} IDENTIFIED BY 'first';
          GRANT SELECT, INSERT, UPDATE, DELETE ON holdfast.holdfast_locks TO ${user}`)
        let password = 'first'
        const client = kept(
          openClient(async () => libraries[library](server.address, { ssl: trust.right, user, password })),
        )
        await add(client)
        password = 'second'
        await run(`ALTER USER ${user} IDENTIFIED BY 'second'`)
        const [row] = await run(`SELECT id AS id FROM information_schema.processlist WHERE user = '${user}'`)
        await run(`KILL ${Number(row?.['id'])}`)
        await until(() => add(client).catch(() => undefined), { what: 'the next command works' })
        const gone = new Error('the vault is closed')
        const locked = kept(openClient(() => Promise.reject(gone)))
        expect(await failureOf(add(locked))).toMatchObject({ transient: true, cause: gone })
      })

      describe('rights', () => {
        const userWith = async (rights: readonly string[]): Promise<Client> => {
          const user = `u${randomUUID().replaceAll('-', '').slice(0, 30)}`
          await run(`CREATE USER ${user} IDENTIFIED BY 'it';
            ${rights.length > 0 ? `GRANT ${rights.join(', ')} ON holdfast.holdfast_locks TO ${user};` : ''}
            REPLACE INTO holdfast_locks (keyspace, name, version, holds) VALUES ('latch', 'old', 1, 0)`)
          return open({ user, password: 'it' })
        }

        test('those of the page are enough for all that Holdfast does', async () => {
          const client = await userWith(RIGHTS)
          await useAll(client.session)
          expect(client.errors).toEqual([])
          expect(await run("SELECT name FROM holdfast_locks WHERE name = 'old'")).toEqual([])
        })

        test.each(RIGHTS)(
          'without %s something is refused, and the error says what is needed',
          async (right) => {
            const client = await userWith(RIGHTS.filter((each) => each !== right))
            const failure = await failureOf(useAll(client.session))
            expect(failure).toMatchObject({ reason: 'permission', transient: false })
            expect(failure.message).toContain('SELECT, INSERT, UPDATE and DELETE')
          },
        )
      })

      test('names and passwords may have any characters', async () => {
        const hostile = `o'b"\\ \`Ünï\` %s;-- ${library}`
        const quoted = `\`${hostile.replaceAll('`', '``')}\``
        const table = `${quoted}.${quoted}`
        await run(`CREATE DATABASE ${quoted}; ${mysqlSchema({ table })}; CREATE USER ? IDENTIFIED BY ?`, [
          hostile,
          hostile,
        ])
        await run(`GRANT ${RIGHTS.join(', ')} ON ${table} TO ?`, [hostile])
        const client = open({ user: hostile, password: hostile, database: hostile }, table)
        await useAll(client.session)
        expect(await add(client, hostile)).toBe(1)
      })
    })

    test('a certificate for another name is refused, and the error says what to do', async () => {
      const connect = () => libraries.mariadb(server.address, { ssl: trust.elsewhere })
      const failure = await failureOf(add(kept(openClient(connect))))
      expect(failure).toMatchObject({ reason: 'unreachable', transient: false })
      expect(failure.message).toContain('by a name that it is for')
    })

    test('a server without TLS is told as such', async () => {
      const settings: Readonly<Record<string, string>> =
        product === 'MariaDB' ? { ssl: '0' } : { tls_version: '' }
      const plain = await bringSqlServer(product, { settings })
      for (const library of libraryNames) {
        const connect = () => libraries[library](plain.address, { ssl: trust.right })
        const failure = await failureOf(add(kept(openClient(connect))))
        expect(failure).toMatchObject({ reason: 'unreachable', transient: false })
        expect(failure.message).toContain('The server has no TLS')
      }
      await plain.stop()
    })
  })
}
