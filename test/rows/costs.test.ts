/** How many statements it costs. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type AcquireOptions, Holdfast, type HoldfastOptions, type Store } from '../../src/index.js'
import { mysql } from '../../src/stores/mysql/index.js'
import type { MakeConnection } from '../../src/stores/postgres/connection.js'
import { checkPostgresOptions } from '../../src/stores/postgres/options.js'
import { pgConnections } from '../../src/stores/postgres/pg-connection.js'
import { PostgresRows } from '../../src/stores/postgres/rows.js'
import { PostgresStore } from '../../src/stores/postgres/store.js'
import { libraries } from '../mysql/clients.js'
import { until } from '../servers/until.js'
import { onDatabases } from '../setup/databases.js'
import { loginOf } from '../transactions/application.js'
import { blockFor } from '../watchdog-thread/busy.js'

const WATCHDOG_MS = 6_000

/** Notes the names of statements, and whether they are about edges. */
function countedPostgres(pool: pg.Pool, sent: string[]): Store {
  const makeConnection = pgConnections(pool)
  const make: MakeConnection = (prepares) => {
    const connection = makeConnection(prepares)
    const query = connection.query.bind(connection)
    connection.query = (text, values, name) => {
      const about = values?.[0] === 'edges' ? ' edges' : ''
      sent.push(name ? name.replace('holdfast_', '') + about : text.trim().split(/\s/, 1).join())
      return query(text, values, name)
    }
    return connection
  }
  return new PostgresStore(new PostgresRows(make, checkPostgresOptions({ createTable: true })))
}

/** Notes the first words of statements. */
function countedMysql(connectTo: () => ReturnType<typeof libraries.mysql2>, sent: string[]): Store {
  const connect = async () => {
    const connection = await connectTo()
    const execute = connection.execute.bind(connection)
    connection.execute = (options, values) => {
      sent.push(options.sql.trim().split(' ', 1).join())
      return execute(options, values)
    }
    return connection
  }
  return mysql({ connect, createTable: true })
}

await onDatabases(['PostgreSQL', 'MariaDB', 'MySQL'], (database, product) => {
  const inPostgres = product === 'PostgreSQL'
  let pool: pg.Pool
  beforeAll(() => {
    pool = new pg.Pool(loginOf(database().address))
    return () => pool.end()
  })

  /** A client that has taken a lock before, and what it sends from then on. However slow the machine, its calls pass a lock on to the last of them. */
  const clientWithCount = async (
    options: HoldfastOptions = { handOverSliceMs: Infinity },
  ): Promise<{ holdfast: Holdfast; sent: string[] }> => {
    const sent: string[] = []
    const store = inPostgres
      ? countedPostgres(pool, sent)
      : countedMysql(() => libraries.mysql2(database().address), sent)
    const holdfast = new Holdfast(store, options)
    onTestFinished(() => holdfast.close())
    await holdfast.lock(randomUUID()).withLock(() => undefined)
    sent.length = 0
    return { holdfast, sent }
  }

  test('a lock that nobody else wants: one statement to take it, one to free it', async () => {
    const { holdfast, sent } = await clientWithCount()
    for (const lock of [holdfast.lock('alone'), holdfast.fencedLock('alone'), holdfast.spinLock('alone')])
      for (const acquire of [() => lock.acquire(), () => lock.tryAcquire()]) {
        const hold = await acquire()
        expect(sent.splice(0)).toEqual([inPostgres ? 'take' : 'INSERT'])
        await hold?.release()
        expect(sent.splice(0)).toEqual([inPostgres ? 'free' : 'UPDATE'])
      }
  })

  test('renewals of many locks travel together', async () => {
    const { holdfast, sent } = await clientWithCount({ watchdogMs: WATCHDOG_MS })
    const holds = await Promise.all(
      Array.from({ length: 100 }, (_, index) => holdfast.lock(`renewed ${index}`).acquire()),
    )
    sent.length = 0
    // However far apart they were granted, all are due when the event loop goes on.
    blockFor(WATCHDOG_MS / 3)
    await until(() => sent.length > 0, { what: 'a renewal' })
    await Promise.all(holds.map((hold) => hold.release()))
    const freed = sent.filter((statement) => statement === 'free' || statement === 'UPDATE').length
    expect(freed).toBeGreaterThanOrEqual(100)
    expect(sent.length).toBeLessThan(120)
  })

  describe.skipIf(inPostgres)('without messages', () => {
    test('a process that waits for another: it only reads, seldom, however many of its calls wait', async () => {
      const [one, other] = [await clientWithCount(), await clientWithCount()]
      const hold = await one.holdfast.lock('row').acquire()
      const lock = other.holdfast.lock('row')
      const waiting = Array.from({ length: 25 }, () => lock.withLock(() => undefined))
      await until(() => other.sent.length > 16, { what: 'it has asked so often' })
      const [first, ...later] = other.sent.splice(0)
      expect(first).toBe('INSERT')
      expect(new Set(later)).toEqual(new Set(['SELECT']))
      // By now it pauses for 100 to 200 ms each time.
      const from = performance.now()
      await until(() => other.sent.length >= 10, { what: 'ten times more' })
      expect(performance.now() - from).toBeGreaterThan(800)
      await hold.release()
      await Promise.all(waiting)
      const writes = other.sent.filter((word) => word !== 'SELECT')
      expect(writes).toEqual(['UPDATE', 'UPDATE'])
      other.sent.length = 0
      // It is as before for a lock that was granted.
      await lock.withLock(() => undefined)
      expect(other.sent).toEqual(['INSERT', 'UPDATE'])
    })
  })

  describe.runIf(inPostgres)('with messages', () => {
    /** Whether a client is in line, by the row itself. */
    const waits = async (name: string): Promise<boolean> => {
      const found = `SELECT FROM holdfast_locks WHERE name = $1 AND waiting <> '{}'`
      return (await pool.query(found, [name])).rowCount === 1
    }

    test('K1: a plain wait says nothing of edges; one within a section sends two statements to leave one, and two to withdraw it', async () => {
      const [one, other] = [await clientWithCount(), await clientWithCount()]
      await using _ = await one.holdfast.lock('long').acquire()
      const wait = (options: AcquireOptions) => other.holdfast.lock('long').acquire(options)
      const ofEdges = () => other.sent.filter((each) => each.endsWith(' edges'))
      await expect(wait({ waitMs: 700 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
      expect(ofEdges()).toEqual([])
      const abort = new AbortController()
      const section = rejectionOf(other.holdfast.lock('own').withLock(() => wait({ signal: abort.signal })))
      await until(() => ofEdges().length === 2, { what: 'the edge is left' })
      abort.abort('enough')
      expect(await section).toBe('enough')
      await until(() => ofEdges().length === 4, { what: 'the edge is withdrawn' })
      expect(ofEdges()).toEqual(['read edges', 'insert edges', 'read edges', 'update edges'])
    })

    test('a lock that is held: one statement to find that out', async () => {
      const [one, other] = [await clientWithCount(), await clientWithCount()]
      await using _ = await one.holdfast.lock('held').acquire()
      expect(await other.holdfast.lock('held').tryAcquire()).toBeNull()
      expect(other.sent).toEqual(['take'])
    })

    test('tied to a transaction: one statement in it, three of our own, and a release by two', async () => {
      const { holdfast, sent } = await clientWithCount()
      const tx = await pool.connect()
      await tx.query('BEGIN')
      const hold = await holdfast.lock('tied').acquire()
      sent.length = 0
      await hold.confirm(tx)
      expect(sent.splice(0)).toEqual(['tie_ended', 'read', 'update'])
      await tx.query('COMMIT')
      tx.release()
      await hold.release()
      expect(sent.splice(0)).toEqual(['free', 'update'])
      await (await holdfast.lock('tied').acquire()).release()
      expect(sent.splice(0)).toEqual(['take', 'free'])
    })

    test('handed over to another process: one to release it, one to join the line, none to take over', async () => {
      const [one, other] = [await clientWithCount(), await clientWithCount()]
      const handOver = async (from: typeof one, to: typeof one, name: string): Promise<void> => {
        const hold = await from.holdfast.lock(name).acquire()
        for (const { sent } of [from, to]) sent.length = 0
        const waiting = to.holdfast.lock(name).acquire()
        await until(() => waits(name), { what: 'it waits' })
        await hold.release()
        await (await waiting).release()
      }
      // Each has waited before, and listens.
      await handOver(one, other, 'before')
      await handOver(other, one, 'before')
      // The second time it knows that others want that lock.
      for (const released of [['free', 'update_and_tell'], ['pass']]) {
        await handOver(one, other, 'row')
        expect(one.sent).toEqual(released)
        expect(other.sent).toEqual(['take', 'stand', 'free'])
      }
    })

    test('a read-write lock joins its own line, not that of a lock of the same name', async () => {
      const [one, other] = [await clientWithCount(), await clientWithCount()]
      const plain = await one.holdfast.lock('both').acquire()
      const writing = await one.holdfast.readWriteLock('both').writeLock().acquire()
      other.sent.length = 0
      const waiting = other.holdfast.readWriteLock('both').writeLock().acquire()
      await until(() => other.sent.includes('update'), { what: 'it waits' })
      expect(await one.holdfast.lock('both').countWaitingClients()).toBe(0)
      await writing.release()
      await (await waiting).release()
      await plain.release()
      expect(other.sent).not.toContain('stand')
    })
  })
})
