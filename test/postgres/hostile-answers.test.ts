/** What something between the client and the server makes of answers is told as such; nothing of it is believed. */
import { randomUUID } from 'node:crypto'
import pg, { type Pool } from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { Holdfast, HoldfastError } from '../../src/index.js'
import { advisory } from '../../src/stores/postgres/index.js'
import { missing, poolOf, Stand, title } from './server.js'

const MARK = 'a-secret-that-is-in-no-error'

type Rows = readonly Readonly<Record<string, unknown>>[]

const each =
  (value: (column: string) => unknown) =>
  (rows: Rows): Rows =>
    rows.map((row) => Object.fromEntries(Object.keys(row).map((column) => [column, value(column)])))

const changes: Readonly<Record<string, (rows: Rows) => Rows>> = {
  'no rows': () => [],
  'a row of nothing': () => [{}],
  'two rows for one': (rows) => [...rows, ...rows, {}],
  nulls: each(() => null),
  numbers: each(() => 7),
  'another text': each(() => MARK),
  'an object': each(() => JSON.stringify({ now: MARK, version: MARK })),
  bytes: each(() => Buffer.from(MARK)),
}

describe.skipIf(missing)(`${title}: hostile answers`, () => {
  const stand = new Stand()
  let hostile: ((rows: Rows) => Rows) | undefined

  beforeEach(() => {
    hostile = undefined
  })

  /** A client class whose answers something changes on their way. */
  const poolBehind = (): Pool => {
    class Changed extends pg.Client {}
    Object.defineProperty(Changed.prototype, 'query', {
      value: async function query(this: pg.Client, config: pg.QueryConfig) {
        const { rows } = await Reflect.apply(pg.Client.prototype.query, this, [config])
        return { rows: hostile?.(rows) ?? rows }
      },
    })
    return stand.ending(poolOf(stand.address, { Client: Changed }))
  }

  const work: Readonly<Record<string, (holdfast: Holdfast, name: string) => Promise<unknown>>> = {
    take: (holdfast, name) => holdfast.lock(name).tryAcquire(),
    wait: (holdfast, name) => holdfast.lock(name).acquire({ waitMs: 300 }),
    look: (holdfast, name) => holdfast.lock(name).isLocked(),
    read: (holdfast, name) => holdfast.readWriteLock(name).readLock().tryAcquire(),
    permit: (holdfast, name) => holdfast.semaphore(name).trySetPermits(1),
    count: (holdfast, name) => holdfast.countDownLatch(name).trySetCount(1),
    list: async (holdfast) => {
      for await (const state of holdfast.list()) expect(state.name).not.toContain(MARK)
    },
  }

  test('faults A1, B18: of the table are errors of Holdfast, grant nothing, and a lock that is held outlives them', async () => {
    const holdfast = stand.holdfast(poolBehind(), {
      commandTimeoutMs: 1_000,
      storeTimeoutMs: 1_000,
      watchdogMs: 20_000,
    })
    holdfast.on('error', () => undefined)
    const lost: unknown[] = []
    holdfast.on('lost', (event) => lost.push(event))
    const hold = await holdfast.lock('kept').acquire()
    const reasons = new Set<unknown>()
    for (const [how, change] of Object.entries(changes)) {
      hostile = change
      const outcomes = Object.entries(work).map(async ([what, call]) => {
        const outcome: unknown = await call(holdfast, randomUUID()).catch((error: unknown) => error)
        const place = `${what} with ${how}`
        if (what === 'list' && outcome === undefined) return
        expect(outcome, place).toBeInstanceOf(HoldfastError)
        expect(`${String(outcome)} ${JSON.stringify(outcome)}`, place).not.toContain(MARK)
        reasons.add(outcome instanceof Error && 'reason' in outcome ? outcome.reason : undefined)
      })
      await Promise.all(outcomes)
    }
    expect(reasons).toContain('unreadable')
    hostile = undefined
    expect(lost).toEqual([])
    await hold.extend(20_000)
    await hold.release()
    await holdfast.close()
  }, 60_000)

  test('faults A1: of session locks are errors of Holdfast, and grant nothing', async () => {
    const holdfast = new Holdfast(advisory(poolBehind()), { commandTimeoutMs: 1_000, storeTimeoutMs: 1_000 })
    holdfast.on('error', () => undefined)
    for (const [how, change] of Object.entries(changes)) {
      hostile = change
      const outcome: unknown = await holdfast
        .lock(randomUUID())
        .tryAcquire()
        .catch((error: unknown) => error)
      expect(outcome, how).toBeInstanceOf(HoldfastError)
      expect(`${String(outcome)} ${JSON.stringify(outcome)}`, how).not.toContain(MARK)
    }
    hostile = undefined
    await holdfast.close()
  }, 60_000)

  test('faults B18: rows with foreign columns are errors of Holdfast', async () => {
    const [holdfast, other] = [stand.holdfast(), stand.holdfast()]
    await holdfast.lock('first').isLocked()
    for (const rest of ['null', '5', '[]', '{"line":5}', '{"line":{"places":[7]}}', '"a text"']) {
      const held = await holdfast.lock(rest).acquire()
      await stand.pool.query('UPDATE holdfast_locks SET rest = $1::json WHERE name = $1::text', [rest])
      const calls = [
        () => holdfast.lock(rest).inspect(),
        () => other.lock(rest).acquire({ waitMs: 1_000 }),
        () => held.release(),
      ]
      for (const call of calls) {
        const error: unknown = await call().then(
          () => new Error('it was believed'),
          (failure: unknown) => failure,
        )
        expect(error, rest).toMatchObject({ code: 'STORE_ERROR', reason: 'wrong-type', transient: false })
      }
    }
  })
})
