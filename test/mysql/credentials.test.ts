/** As whom, and how safely, Holdfast comes to the server: as the application connects, and with no more rights than the page says. */
import { describe, expect, test } from 'vitest'
import { mysqlSchema } from '../../src/stores/mysql/index.js'
import { add, failureOf } from '../postgres/tally.js'
import { bringSqlServer } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { certificate, trust } from '../setup/certificate.js'
import { useAll } from '../setup/row-use.js'
import { type Client, type Extra, libraries, libraryNames } from './clients.js'
import { onServers, Stand } from './stand.js'

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const

await onServers('credentials', (product) => {
  const stand = new Stand(product, { tls: certificate })
  const run = (sql: string, values?: unknown[]) => stand.run(sql, values)

  describe.each(libraryNames)('with %s', (library) => {
    const open = (extra: Extra = {}, table?: string): Client =>
      stand.client(() => stand.connect(library, extra), table === undefined ? {} : { table })

    test('all connections have TLS, and are used and broken as others are', async () => {
      const client = open({ user: 'root_of_nothing' })
      expect(await failureOf(add(client))).toMatchObject({ reason: 'permission' })
      const good = open()
      await useAll(good.session)
      const [connection] = await stand.connections()
      await run(`KILL ${connection}`)
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
      const client = stand.client(() => stand.connect(library, { user, password }))
      await add(client)
      password = 'second'
      await run(`ALTER USER ${user} IDENTIFIED BY 'second'`)
      const [connection] = await stand.connections(user)
      await run(`KILL ${connection}`)
      await until(() => add(client).catch(() => undefined), { what: 'the next command works' })
      const gone = new Error('the vault is closed')
      const locked = stand.client(() => Promise.reject(gone))
      expect(await failureOf(add(locked))).toMatchObject({ transient: true, cause: gone })
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
    const connect = () => stand.connect('mariadb', { ssl: trust.elsewhere })
    const failure = await failureOf(add(stand.client(connect)))
    expect(failure).toMatchObject({ reason: 'unreachable', transient: false })
    expect(failure.message).toContain('by a name that it is for')
  })

  test('a server without TLS is told as such', async () => {
    const settings: Readonly<Record<string, string>> =
      product === 'MariaDB' ? { ssl: '0' } : { tls_version: '' }
    const plain = await bringSqlServer(product, { settings })
    for (const library of libraryNames) {
      const connect = () => libraries[library](plain.address, { ssl: trust.right })
      const failure = await failureOf(add(stand.client(connect)))
      expect(failure).toMatchObject({ reason: 'unreachable', transient: false })
      expect(failure.message).toContain('The server has no TLS')
    }
    await plain.stop()
  })
})
