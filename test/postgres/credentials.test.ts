/** As whom, and how safely, Holdfast comes to the server: as the application does, and with no more rights than the page says. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { postgresSchema } from '../../src/stores/postgres/schema.js'
import { until } from '../servers/until.js'
import { certificate, trust } from '../setup/certificate.js'
import { useAll } from '../setup/row-use.js'
import {
  bringPostgres,
  type Client,
  type Extra,
  libraries,
  libraryNames,
  missing,
  poolOf,
  Stand,
  title,
} from './server.js'
import { add, failureOf } from './tally.js'

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const

describe.skipIf(missing)(`${title}: credentials`, () => {
  const stand = new Stand(() => bringPostgres({ tls: certificate }))

  describe.each(libraryNames)('with %s', (library) => {
    const open = (extra: Extra, table?: string, address = stand.address): Client =>
      stand.client(stand.ending(libraries[library](address, extra)), table === undefined ? {} : { table })
    /** By TCP, where the server asks for a password and for TLS. */
    const byTcp = ({ password = stand.address.password, ...extra }: Extra = {}): Client =>
      open({ host: '127.0.0.1', password, ssl: trust.right, ...extra })
    const encrypted = async (): Promise<boolean[]> => {
      const { rows } = await stand.pool.query<{ ssl: boolean }>(
        `SELECT s.ssl FROM pg_stat_ssl AS s JOIN pg_stat_activity AS a USING (pid) WHERE a.application_name = 'holdfast'`,
      )
      return rows.map(({ ssl }) => ssl)
    }

    describe('TLS', () => {
      test('all connections are encrypted, for commands and messages, and are used and broken as others are', async () => {
        const client = byTcp()
        await add(client)
        await client.session.inbox?.opened()
        expect(await encrypted()).toEqual([true, true])
        await stand.pool.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'",
        )
        await until(() => client.missed() > 0, { what: 'the break is told' })
        await until(() => add(client).catch(() => undefined), { what: 'the next command works' })
        await client.session.close()
        await until(async () => (await encrypted()).length === 0, { what: 'they are closed' })
      })

      test.each([
        ['an authority that did not sign it', trust.wrong],
        ['a name that it is not for', trust.elsewhere],
      ])('a certificate with %s is refused, and the error says what to do', async (_, ssl) => {
        const failure = await failureOf(add(byTcp({ ssl })))
        expect(failure).toMatchObject({ reason: 'unreachable', transient: false })
        expect(failure.message).toContain('pass the CA that signed it')
      })

      test('who comes without it is told to use it', async () => {
        const { password } = stand.address
        const failure = await failureOf(add(open({ host: '127.0.0.1', password })))
        expect(failure).toMatchObject({ reason: 'permission', transient: false })
        expect(failure.message).toContain('with TLS only')
      })
    })

    describe('the password', () => {
      test('is asked for each time, where it is a function', async () => {
        await stand.pool.query(
          "DROP ROLE IF EXISTS rotated; CREATE ROLE rotated LOGIN SUPERUSER PASSWORD 'first'",
        )
        let current = 'first'
        let asked = 0
        const password = async (): Promise<string> => {
          asked += 1
          return current
        }
        const client = byTcp({ user: 'rotated', password })
        await add(client)
        expect(asked).toBe(1)
        current = 'second'
        await stand.pool.query(`ALTER ROLE rotated PASSWORD 'second';
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holdfast'`)
        await until(() => add(client).catch(() => undefined), { what: 'the next command works' })
        expect(asked).toBeGreaterThan(1)
      })

      test('that is wrong, or cannot be had, is told as such', async () => {
        expect(await failureOf(add(byTcp({ password: 'wrong' })))).toMatchObject({
          reason: 'permission',
          transient: false,
        })
        const gone = new Error('the vault is closed')
        const client = byTcp({ password: () => Promise.reject(gone) })
        expect(await failureOf(add(client))).toMatchObject({ transient: true, cause: gone })
      })

      test('that comes too late is used no more', async () => {
        let give: (password: string) => void = () => undefined
        const late = new Promise<string>((resolve) => {
          give = resolve
        })
        const client = byTcp({ password: () => late })
        const failing = failureOf(add(client))
        const asked = "SELECT FROM pg_stat_activity WHERE state IS NULL AND backend_type = 'client backend'"
        await until(async () => (await stand.pool.query(asked)).rowCount ?? 0, {
          what: 'the server waits for it',
        })
        await client.session.close()
        give(stand.address.password)
        await failing
        expect(await encrypted()).toEqual([])
      })
    })

    test('without the right to use the schema all is refused', async () => {
      const user = `user_${randomUUID().replaceAll('-', '')}`
      await stand.pool.query(`CREATE ROLE ${user} LOGIN;
        CREATE SCHEMA IF NOT EXISTS app; ${postgresSchema({ table: 'app.locks' })};
        GRANT ${RIGHTS.join(', ')} ON app.locks TO ${user}`)
      const failure = await failureOf(useAll(open({ user }, 'app.locks').session))
      expect(failure).toMatchObject({ reason: 'permission', transient: false })
      expect(failure.message).toContain('USAGE')
    })

    test('names and passwords may have any characters', async () => {
      const hostile = `o'brien "Ünï" \\%s; -- ${library}`
      const quoted = `"${hostile.replaceAll('"', '""')}"`
      const table = `${quoted}.${quoted}`
      await stand.pool.query(`CREATE ROLE ${quoted} LOGIN PASSWORD ${pg.escapeLiteral(hostile)}`)
      await stand.pool.query(`CREATE DATABASE ${quoted} OWNER ${quoted}`)
      const there = { ...stand.address, database: hostile }
      const owner = poolOf(there)
      await owner.query(`CREATE SCHEMA ${quoted} AUTHORIZATION ${quoted}`)
      await owner.query(postgresSchema({ table }))
      await owner.query(`GRANT ${RIGHTS.join(', ')} ON ${table} TO ${quoted}`)
      await owner.end()
      const extra = { host: '127.0.0.1', ssl: trust.right, user: hostile, password: hostile }
      const client = open(extra, table, there)
      await useAll(client.session)
      await client.session.inbox?.opened()
      expect(await add(client, hostile)).toBe(1)
    })
  })

  test.each(libraryNames)('a server without TLS is told as such (%s)', async (library) => {
    const plain = await bringPostgres()
    const { password } = plain.address
    const settings = { host: '127.0.0.1', password, ssl: trust.right }
    const application = stand.ending(libraries[library](plain.address, settings))
    const failure = await failureOf(add(stand.client(application)))
    expect(failure).toMatchObject({ reason: 'unreachable', transient: false })
    expect(failure.message).toContain('The server has no TLS')
    await stand.tidy()
    await plain.stop()
  })
})
