/** Cancelled waits in PostgreSQL, where the cancellation comes late, never, or together with something else. */
import { connect } from 'node:net'
import pg from 'pg'
import postgres from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { LockTimeoutError, type SqlConnection, transactionLock } from '../../src/transactions/index.js'
import { standIn } from '../servers/stand-in.js'
import { onDatabases } from '../setup/databases.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { loginOf } from './application.js'

const NAME = 'cancelled'

await onDatabases(['PostgreSQL'], (database) => {
  async function pgClient(port = database().address.port): Promise<pg.Client> {
    const client = new pg.Client({ ...database().address, port })
    client.on('error', () => undefined)
    await client.connect()
    onTestFinished(() => client.end().catch(() => undefined))
    return client
  }

  /** A transaction over `port`, for as long as `work` takes. */
  type Within = (port: number, work: (tx: SqlConnection, query: Query) => Promise<void>) => Promise<void>
  type Query = (text: string) => Promise<Array<Record<string, unknown>>>
  const drivers: ReadonlyArray<[string, Within]> = [
    [
      'pg',
      async (port, work) => {
        const client = await pgClient(port)
        await client.query('BEGIN')
        await work(client, async (text) => (await client.query(text)).rows)
      },
    ],
    [
      'postgres',
      async (port, work) => {
        const sql = postgres({ ...loginOf(database().address), port, max: 1 })
        onTestFinished(() => sql.end({ timeout: 0 }))
        await new Promise<void>((resolve, reject) => {
          const section = async (tx: postgres.TransactionSql): Promise<void> => {
            await work(tx, async (text) => [...(await tx.unsafe(text))]).then(resolve, reject)
            // On a connection that is gone this driver would throw where nobody can catch it.
            await new Promise(() => undefined)
          }
          // It also rejects when the connection ends, before who waits on it is told.
          sql.begin(section).catch(() => undefined)
        })
      },
    ],
  ]

  /** The way to the server for the first connection; what happens to those that cancel is told. */
  async function wayWhere(cancels: (pass: () => void) => void): Promise<number> {
    const { host, port } = database().address
    let connections = 0
    const way = await standIn((socket) => {
      const pass = (): void => {
        const onward = connect(port, host)
        onward.on('error', () => socket.destroy())
        socket.on('close', () => onward.destroy())
        socket.pipe(onward).pipe(socket)
      }
      connections += 1
      if (connections === 1) pass()
      else cancels(pass)
    })
    onTestFinished(() => way.stop())
    return way.port
  }

  async function holder(): Promise<{ client: pg.Client; untilWaiting: () => Promise<unknown> }> {
    const client = await pgClient()
    await client.query('BEGIN')
    await transactionLock(client, NAME)
    const watching = await pgClient()
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    return {
      client,
      untilWaiting: () => eventually(async () => (await watching.query(waiting)).rowCount),
    }
  }

  describe.each(drivers)('by %s', (_driver, within) => {
    test('a cancellation that is late hits no statement of the application', async () => {
      const late: Array<() => void> = []
      const port = await wayWhere((pass) => late.push(pass))
      const { client, untilWaiting } = await holder()
      await within(port, async (tx, query) => {
        const controller = new AbortController()
        const held = transactionLock(tx, NAME, { signal: controller.signal })
        await untilWaiting()
        controller.abort()
        await eventually(() => late.length)
        await client.query('COMMIT')
        // Where the driver can still stop the cancellation the call does not wait for this.
        setTimeout(() => late[0]?.(), 500)
        await held
        await query('SELECT pg_sleep(1.5)')
      })
    })

    test('a cancellation that nobody answers does not keep the call', async () => {
      const port = await wayWhere(() => undefined)
      const { untilWaiting } = await holder()
      await within(port, async (tx, query) => {
        const controller = new AbortController()
        const refused = transactionLock(tx, NAME, { signal: controller.signal, waitMs: lasting(2_000) })
        const told = expect(refused).rejects.toBeInstanceOf(LockTimeoutError)
        await untilWaiting()
        controller.abort()
        await told
        await query('SELECT 1')
      })
    })

    test('a connection that ends after the abort is an error of the store', async () => {
      const port = await wayWhere(() => undefined)
      const { client, untilWaiting } = await holder()
      await within(port, async (tx, query) => {
        const [own] = await query('SELECT pg_backend_pid() AS pid')
        const controller = new AbortController()
        const failed = rejectionOf(transactionLock(tx, NAME, { signal: controller.signal }))
        await untilWaiting()
        controller.abort()
        await client.query(`SELECT pg_terminate_backend(${own?.['pid']})`)
        expect(await failed).toMatchObject({ code: 'STORE_ERROR', reason: 'unreachable' })
      })
    })

    test('a transaction that the server ends for its length is unreachable', async (context) => {
      const { client } = await holder()
      const { rows } = await client.query("SELECT FROM pg_settings WHERE name = 'transaction_timeout'")
      context.skip(rows.length === 0, 'PostgreSQL 17 has transaction_timeout')
      await within(database().address.port, async (tx, query) => {
        await query("SET LOCAL transaction_timeout = '300ms'")
        const failed = transactionLock(tx, NAME, { waitMs: 10_000 })
        await expect(failed).rejects.toMatchObject({ reason: 'unreachable', transient: true })
      })
    })
  })

  test('what the application has its driver make of values and columns is no matter', async () => {
    const login = loginOf(database().address)
    const raw = new pg.Client({ ...login, types: { getTypeParser: () => String } })
    await raw.connect()
    onTestFinished(() => raw.end())
    await raw.query('BEGIN')
    await transactionLock(raw, 'raw', { waitMs: 0 })
    const sql = postgres({ ...login, max: 1, transform: postgres.pascal })
    onTestFinished(() => sql.end({ timeout: 0 }))
    await sql.begin(async (tx) => {
      await transactionLock(tx, 'pascal', { waitMs: 0 })
      await expect(transactionLock(tx, 'raw', { waitMs: 0 })).rejects.toBeInstanceOf(LockTimeoutError)
    })
  })
})
