/** How many statements it costs. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { type AcquireOptions, Holdfast, type HoldfastOptions } from '../../src/index.js'
import { checkPostgresOptions } from '../../src/stores/postgres/options.js'
import { PostgresRows } from '../../src/stores/postgres/rows.js'
import { PostgresStore } from '../../src/stores/postgres/store.js'
import { until } from '../servers/until.js'
import { blockFor } from '../watchdog-thread/busy.js'
import { countedConnections } from './counted.js'
import { missing, Stand, title } from './server.js'

const WATCHDOG_MS = 6_000

describe.skipIf(missing)(`${title}: costs`, () => {
  const stand = new Stand()

  /** A client that has taken a lock before, and what it sends from then on. */
  const clientWithCount = async (
    options: HoldfastOptions = { handOverSliceMs: 60_000 },
  ): Promise<{ holdfast: Holdfast; sent: string[] }> => {
    const { make, sent } = countedConnections(stand.pool)
    const store = new PostgresStore(new PostgresRows(make, checkPostgresOptions({})))
    const holdfast = new Holdfast(store, options)
    stand.after(() => holdfast.close())
    await holdfast.lock(randomUUID()).withLock(() => undefined)
    sent.length = 0
    return { holdfast, sent }
  }

  /** Whether a client is in line, by the row itself. */
  const waits = async (name: string): Promise<boolean> => {
    const found = `SELECT FROM holdfast_locks WHERE name = $1 AND waiting <> '{}'`
    return (await stand.pool.query(found, [name])).rowCount === 1
  }

  test('a lock that nobody else wants: one statement to take it, one to free it', async () => {
    const { holdfast, sent } = await clientWithCount()
    const hold = await holdfast.lock('alone').tryAcquire()
    expect(sent.splice(0)).toEqual(['take'])
    await hold?.release()
    expect(sent.splice(0)).toEqual(['free'])
    const fenced = await holdfast.fencedLock('alone').acquire()
    expect(sent.splice(0)).toEqual(['take'])
    await fenced.release()
    expect(sent.splice(0)).toEqual(['free'])
  })

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
    const tx = await stand.pool.connect()
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
    // Each has waited before, and listens.
    for (const [holder, waiter] of [
      [one, other],
      [other, one],
    ] as const) {
      const hold = await holder.holdfast.lock('before').acquire()
      const waiting = waiter.holdfast.lock('before').acquire()
      await until(() => waits('before'), { what: 'it waits' })
      await hold.release()
      await (await waiting).release()
    }
    // The second time it knows that others want that lock.
    for (const released of [['free', 'update_and_tell'], ['pass']]) {
      const hold = await one.holdfast.lock('row').acquire()
      one.sent.length = 0
      other.sent.length = 0
      const waiting = other.holdfast.lock('row').acquire()
      await until(() => waits('row'), { what: 'it waits' })
      await hold.release()
      await (await waiting).release()
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
    expect(sent.filter((statement) => statement === 'free')).toHaveLength(100)
    expect(sent.filter((statement) => statement === 'renew_all').length).toBeLessThan(10)
    expect(sent.filter((statement) => statement === 'renew').length).toBeLessThan(10)
  })
})
