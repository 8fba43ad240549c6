/** Cancelled waits in PostgreSQL, where the cancellation comes late, never, or together with something else. */
import { connect } from 'node:net'
import pg from 'pg'
import postgres from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { LockTimeoutError, transactionLock } from '../../src/transactions/index.js'
import { standIn } from '../servers/stand-in.js'
import { onDatabases } from '../setup/databases.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'
import { later } from '../setup/later.js'
import { connectByPg, loginOf } from './application.js'
import { connectBy, type Transaction } from './drivers.js'

const NAME = 'cancelled'

await onDatabases(['PostgreSQL'], (database) => {
  const begin = async (driver: 'pg' | 'postgres', port = database().address.port): Promise<Transaction> => {
    const address = { ...database().address, port }
    const client = await connectBy(driver, { product: 'PostgreSQL', address })
    onTestFinished(async () => void (await client.end().catch(() => undefined)))
    return client.begin()
  }

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

  async function holder(): Promise<Transaction & { untilWaiting: () => Promise<unknown> }> {
    const transaction = await begin('pg')
    await transactionLock(transaction.tx, NAME)
    const { run, end } = await connectByPg(database().address)
    onTestFinished(async () => void (await end()))
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    return { ...transaction, untilWaiting: () => eventually(async () => (await run(waiting)).length) }
  }

  describe.each(['pg', 'postgres'] as const)('by %s', (driver) => {
    /** A call that has waited, and was aborted; those who cancel it are told of by `cancels`. */
    const aborted = async (
      cancels: (pass: () => void) => void,
      limits: { readonly waitMs?: number } = {},
    ) => {
      const holding = await holder()
      const { tx, query } = await begin(driver, await wayWhere(cancels))
      const [own] = await query('SELECT pg_backend_pid() AS pid')
      const controller = new AbortController()
      const call = later(transactionLock(tx, NAME, { ...limits, signal: controller.signal }))
      await holding.untilWaiting()
      controller.abort()
      return { holding, query, call, pid: own?.['pid'] }
    }

    test('a cancellation that is late hits no statement of the application', async () => {
      const late: Array<() => void> = []
      const { holding, query, call } = await aborted((pass) => late.push(pass))
      await eventually(() => late.length)
      await holding.commit()
      // Where the driver can still stop the cancellation the call does not wait for this.
      setTimeout(() => late[0]?.(), 500)
      await call
      await query('SELECT pg_sleep(1.5)')
    })

    test('a cancellation that nobody answers does not keep the call', async () => {
      const { query, call } = await aborted(() => undefined, { waitMs: lasting(2_000) })
      await expect(call).rejects.toBeInstanceOf(LockTimeoutError)
      await query('SELECT 1')
    })

    test('a connection that ends after the abort is an error of the store', async () => {
      const { holding, pid, call } = await aborted(() => undefined)
      await holding.query(`SELECT pg_terminate_backend(${pid})`)
      await expect(call).rejects.toMatchObject({ code: 'STORE_ERROR', reason: 'unreachable' })
    })

    test('a transaction that the server ends for its length is unreachable', async (context) => {
      const holding = await holder()
      const setting = await holding.query("SELECT 1 FROM pg_settings WHERE name = 'transaction_timeout'")
      context.skip(setting.length === 0, 'PostgreSQL 17 has transaction_timeout')
      const { tx, query } = await begin(driver)
      await query("SET LOCAL transaction_timeout = '300ms'")
      const failed = transactionLock(tx, NAME, { waitMs: 10_000 })
      await expect(failed).rejects.toMatchObject({ reason: 'unreachable', transient: true })
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
