/** How many statements it costs, whichever the database: PostgreSQL's by their names, of the others the first words. */
import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type AcquireOptions, Holdfast, type HoldfastOptions, type Store } from '../../src/index.js'
import { mysql } from '../../src/stores/mysql/index.js'
import { checkPostgresOptions } from '../../src/stores/postgres/options.js'
import { pgConnections } from '../../src/stores/postgres/pg-connection.js'
import { postgresRows } from '../../src/stores/postgres/rows.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import { findDriver, type Value } from '../../src/stores/sqlite/driver.js'
import { checkSqliteOptions } from '../../src/stores/sqlite/options.js'
import { sqliteRows } from '../../src/stores/sqlite/store.js'
import { libraries } from '../mysql/clients.js'
import { poolOf, untilWaiting } from '../postgres/server.js'
import type { SqlAddress } from '../servers/sql/index.js'
import { until } from '../servers/until.js'
import { onDatabases } from '../setup/databases.js'
import { duringAll } from '../setup/during.js'
import { Stand } from '../sqlite/stand.js'
import { blockFor } from '../watchdog-thread/busy.js'

const WATCHDOG_MS = 6_000
const RENEWED = 100

function firstWordOf(sql: string): string {
  return sql.trim().split(/\s/, 1).join()
}

function inPostgres(pool: Pool, sent: string[]): Store {
  const makeConnection = pgConnections(pool)
  const make: typeof makeConnection = (prepares) => {
    const connection = makeConnection(prepares)
    const query = connection.query.bind(connection)
    connection.query = (text, values, name) => {
      const about = values?.[0] === 'edges' ? ' edges' : ''
      sent.push(name ? name.replace('holdfast_', '') + about : firstWordOf(text))
      return query(text, values, name)
    }
    return connection
  }
  const rows = postgresRows(make, checkPostgresOptions({ createTable: true }))
  return { open: (settings) => new RowStoreSession(rows, settings) }
}

function inMysql(address: SqlAddress, sent: string[]): Store {
  const connect = async () => {
    const connection = await libraries.mysql2(address)
    const execute = connection.execute.bind(connection)
    connection.execute = (options, values) => {
      sent.push(firstWordOf(options.sql))
      return execute(options, values)
    }
    return connection
  }
  return mysql({ connect, createTable: true })
}

/** Each change of a row is one transaction there. */
function inSqlite(path: string, sent: string[]): Store {
  const driver: ReturnType<typeof findDriver> = (at) => {
    const connection = findDriver()(at)
    const prepare = connection.prepare.bind(connection)
    return Object.assign(connection, {
      prepare(sql: string) {
        const statement = prepare(sql)
        const noted =
          <Result>(run: (...values: Value[]) => Result) =>
          (...values: Value[]): Result => {
            sent.push(firstWordOf(sql))
            return run.apply(statement, values)
          }
        return { all: noted(statement.all), run: noted(statement.run) }
      },
    })
  }
  const rows = sqliteRows(checkSqliteOptions(path), { driver })
  return { portVersion: 1, open: (settings) => new RowStoreSession(rows, settings) }
}

interface Counted {
  readonly holdfast: Holdfast
  readonly sent: string[]
}

/** A client that has taken a lock before, and what it sends from then on. */
async function counted(
  storeOf: (sent: string[]) => Store,
  options: HoldfastOptions = { handOverSliceMs: 60_000 },
): Promise<Counted> {
  const sent: string[] = []
  const holdfast = new Holdfast(storeOf(sent), options)
  onTestFinished(() => holdfast.close())
  await holdfast.lock(randomUUID()).withLock(() => undefined)
  sent.length = 0
  return { holdfast, sent }
}

/** Has the one hand a lock over to the other, and tells what that costs each of them. */
async function handOver(one: Counted, other: Counted, looking: Counted, name: string) {
  const hold = await one.holdfast.lock(name).acquire()
  for (const { sent } of [one, other]) sent.length = 0
  const waiting = other.holdfast.lock(name).acquire()
  await untilWaiting(looking.holdfast.lock(name))
  const before = one.sent.splice(0)
  await hold.release()
  const release = one.sent.splice(0)
  await (await waiting).release()
  return { release, all: [...before, ...release, ...one.sent], joining: other.sent.splice(0) }
}

function alone(
  open: () => Promise<Counted>,
  taking: readonly string[],
  freeing: readonly string[],
  kinds: ReadonlyArray<'lock' | 'fencedLock' | 'spinLock'> = ['lock', 'fencedLock'],
): void {
  test.each(kinds)('a %s that nobody else wants: one statement to take it, one to free it', async (kind) => {
    const { holdfast, sent } = await open()
    const hold = await holdfast[kind]('alone').tryAcquire()
    expect(sent.splice(0)).toEqual(taking)
    await hold?.release()
    expect(sent.splice(0)).toEqual(freeing)
    await holdfast[kind]('alone').withLock(() => undefined)
    expect(sent).toEqual([...taking, ...freeing])
  })
}

function renewals(open: (options: HoldfastOptions) => Promise<Counted>): void {
  test('renewals of many locks travel together', async () => {
    const { holdfast, sent } = await open({ watchdogMs: WATCHDOG_MS })
    const holds = await Promise.all(
      Array.from({ length: RENEWED }, (_, index) => holdfast.lock(`renewed ${index}`).acquire()),
    )
    sent.length = 0
    // However far apart they were granted, all are due when the event loop goes on.
    blockFor(WATCHDOG_MS / 3)
    await until(() => sent.length > 0, { what: 'a renewal' })
    await Promise.all(holds.map((hold) => hold.release()))
    // Each release is one.
    expect(sent.length).toBeGreaterThan(RENEWED)
    expect(sent.length).toBeLessThan(RENEWED + 20)
  })
}

await onDatabases(['PostgreSQL'], (database) => {
  const pool = duringAll(() => poolOf(database().address))
  const open = (options?: HoldfastOptions) => counted((sent) => inPostgres(pool, sent), options)

  alone(open, ['take'], ['free'])
  renewals(open)

  test('K1: a plain wait says nothing of edges; one within a section sends two statements to leave one, and two to withdraw it', async () => {
    const [one, other] = [await open(), await open()]
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
    const [one, other] = [await open(), await open()]
    await using _ = await one.holdfast.lock('held').acquire()
    expect(await other.holdfast.lock('held').tryAcquire()).toBeNull()
    expect(other.sent).toEqual(['take'])
  })

  test('tied to a transaction: one statement in it, three of our own, and a release by two', async () => {
    const { holdfast, sent } = await open()
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
    const [one, other, looking] = [await open(), await open(), await open()]
    // Each has waited before, and listens.
    await handOver(one, other, looking, 'before')
    await handOver(other, one, looking, 'before')
    // The second time it knows that others want that lock.
    for (const released of [['free', 'update_and_tell'], ['pass']])
      expect(await handOver(one, other, looking, 'row')).toMatchObject({
        ...{ all: released, joining: ['take', 'stand', 'free'] },
      })
  })

  test('a read-write lock joins its own line, not that of a lock of the same name', async () => {
    const [one, other] = [await open(), await open()]
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

await onDatabases(['MariaDB', 'MySQL'], (database) => {
  const open = (options?: HoldfastOptions) => counted((sent) => inMysql(database().address, sent), options)

  alone(open, ['INSERT'], ['UPDATE'], ['lock', 'fencedLock', 'spinLock'])
  renewals(open)

  test('a process that waits for another: it only reads, seldom, however many of its calls wait', async () => {
    // However slow the machine, its calls pass the lock on to the last of them.
    const [one, other] = [await open(), await open({ handOverSliceMs: Infinity })]
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
    expect(other.sent.splice(0).filter((word) => word !== 'SELECT')).toEqual(['UPDATE', 'UPDATE'])
    // It is as before for a lock that was granted.
    await lock.withLock(() => undefined)
    expect(other.sent).toEqual(['INSERT', 'UPDATE'])
  })
})

describe('SQLite', () => {
  const stand = new Stand()
  /** One that has waited before, too. */
  const open = async (path = stand.path()): Promise<Counted> => {
    const client = await counted((sent) => inSqlite(path, sent))
    const lock = client.holdfast.lock(randomUUID())
    await Promise.all([lock.withLock(() => undefined), lock.withLock(() => undefined)])
    client.sent.length = 0
    return client
  }
  const [taking, freeing] = ['INSERT', 'UPDATE'].map((word) => ['BEGIN', word, 'COMMIT'])

  alone(open, taking ?? [], freeing ?? [])

  test('handed over to another process: one transaction, and none that finds out first that others wait', async () => {
    const path = stand.path()
    const [one, other] = [await open(path), await open(path)]
    for (let round = 0; round < 2; round += 1) {
      const { release } = await handOver(one, other, one, 'wanted')
      expect(release.filter((statement) => statement === 'BEGIN')).toHaveLength(1)
    }
    // A lock that nobody waits for any more is freed by one statement again.
    const lock = one.holdfast.lock('wanted')
    await lock.withLock(() => undefined)
    one.sent.length = 0
    await lock.withLock(() => undefined)
    expect(one.sent).toEqual(['BEGIN', 'INSERT', 'COMMIT', 'BEGIN', 'UPDATE', 'COMMIT'])
  })
})
