/** Odd errors of client libraries, and changed answers: calls reject with errors of Holdfast alone, nothing of it is believed, and a held lock outlives it. */
import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest'
import { journalOf } from '../../src/conformance/journal.js'
import { rejectionOf } from '../../src/conformance/outcome.js'
import { Holdfast, HoldfastError, type Store } from '../../src/index.js'
import { type MysqlConnection, mysql } from '../../src/stores/mysql/index.js'
import { advisory, postgres } from '../../src/stores/postgres/index.js'
import type { SqlAddress } from '../servers/sql/index.js'
import { onDatabases } from '../setup/databases.js'
import { publicCalls } from '../setup/public-calls.js'
import { loginOf } from '../transactions/application.js'

const MARK = 'a-secret-that-is-in-no-error'

/** What is done in place of a command; undefined: the command. */
let instead: ((command: () => unknown) => unknown) | undefined
beforeEach(() => {
  instead = undefined
})

class OddRedis extends Redis {
  override duplicate(override?: Parameters<Redis['duplicate']>[0]): Redis {
    const client = super.duplicate(override)
    makeOdd(client, 'sendCommand')
    return client
  }
}

class OddClient extends pg.Client {}
makeOdd(OddClient.prototype, 'query')

async function oddConnection(address: SqlAddress): Promise<MysqlConnection> {
  const connection = await createConnection(loginOf(address))
  makeOdd(connection, 'query')
  makeOdd(connection, 'execute')
  return connection
}

function makeOdd<Method extends string>(client: Record<Method, unknown>, method: Method): void {
  const real = client[method]
  if (typeof real !== 'function') throw new Error(`it has no ${method}`)
  Object.defineProperty(client, method, {
    value: function odd(this: unknown, ...args: unknown[]) {
      const command = (): unknown => Reflect.apply(real, this, args)
      return instead ? instead(command) : command()
    },
  })
}

function textOf(outcome: unknown): string | undefined {
  return JSON.stringify(outcome, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

/** All calls, each on a name of its own: they settle, and tell nothing of what they have found. */
async function outcomesOf(holdfast: Holdfast, where: string): Promise<ReadonlyMap<string, unknown>> {
  const outcomes = Object.entries(publicCalls).map(async ([what, call]) => {
    const outcome: unknown = await (async () => call(holdfast, randomUUID()))().catch((error) => error)
    if (outcome instanceof Error) expect(outcome, `${what}: ${where}`).toBeInstanceOf(HoldfastError)
    expect(`${outcome} ${textOf(outcome)}`, `${what}: ${where}`).not.toContain(MARK)
    return [what, outcome] as const
  })
  return new Map(await Promise.all(outcomes))
}

/** A client that holds a lock while that is done, and loses nothing by it. */
async function holding(store: Redis | Store, work: (holdfast: Holdfast) => Promise<void>): Promise<void> {
  const holdfast = new Holdfast(store, { commandTimeoutMs: 2_000, storeTimeoutMs: 200, watchdogMs: 60_000 })
  onTestFinished(() => holdfast.close())
  holdfast.on('error', () => undefined)
  const lost = journalOf(holdfast, 'lost')
  const hold = await holdfast.lock(randomUUID()).acquire()
  await work(holdfast)
  instead = undefined
  expect(lost.map(({ name }) => name)).not.toContain(hold.name)
  await hold.extend(60_000)
  await hold.release()
}

class DriverError {
  readonly code = 'E_DRIVER'
}

const odd = [
  () => Promise.reject(new TypeError("Cannot read properties of undefined (reading 'rows')")),
  () => Promise.reject(new DriverError()),
  () => {
    throw undefined
  },
]

async function throwing(holdfast: Holdfast): Promise<void> {
  for (const each of odd) {
    instead = each
    for (const [what, outcome] of await outcomesOf(holdfast, String(each)))
      expect(outcome, `${what}: ${each}`).toBeInstanceOf(HoldfastError)
  }
}

describe('ioredis', () => {
  test('faults B18: whatever it throws, public calls reject with errors of Holdfast', async () => {
    const { host, port } = inject('servers').standalone
    const client = new OddRedis({ host, port, lazyConnect: true })
    onTestFinished(() => client.disconnect())
    await holding(client, throwing)
  }, 60_000)
})

type Rows = readonly Readonly<Record<string, unknown>>[]

/** Changes answers: `pg` has its rows in an object, `mysql2` has them, or what it has changed, first in a list. */
const changing = (change: (rows: Rows) => Rows) => async (command: () => unknown) => {
  const answer: unknown = await command()
  if (!Array.isArray(answer)) return { rows: change(Object(answer).rows) }
  const [first, ...others] = answer
  return [Array.isArray(first) ? change(first) : change([first])[0], ...others]
}
const each = (value: () => unknown) =>
  changing((rows) => rows.map((row) => Object.fromEntries(Object.keys(row).map((key) => [key, value()]))))
const changes = {
  'no rows': changing(() => []),
  'a row of nothing': changing(() => [{}]),
  'two rows for one': changing((rows) => [...rows, ...rows, {}]),
  nulls: each(() => null),
  numbers: each(() => 7),
  'another text': each(() => MARK),
  'an object': each(() => JSON.stringify({ now: MARK, version: MARK })),
  bytes: each(() => Buffer.from(MARK)),
}

const columns = 'version owner holds ends_at fence waiting rest now bytes full_name affectedRows insertId'
const values = [null, MARK, '-7', '9'.repeat(40), '1e400', '0.5', 7, Number.NaN, Buffer.from(MARK), undefined]

await onDatabases(['PostgreSQL', 'MySQL', 'MariaDB'], (database, product) => {
  const oddPool = (): pg.Pool => {
    const pool = new pg.Pool({ ...loginOf(database().address), Client: OddClient })
    onTestFinished(() => pool.end())
    return pool
  }
  const oddStore = (): Store =>
    product === 'PostgreSQL'
      ? postgres(oddPool(), { createTable: true })
      : mysql({ connect: () => oddConnection(database().address), createTable: true })

  test.skipIf(product === 'MariaDB')(
    'faults B18: whatever the client library throws, public calls reject with errors of Holdfast',
    () => holding(oddStore(), throwing),
    60_000,
  )

  test.each(columns.split(' '))(
    'faults A1: whatever answers say in %s, calls settle, and a lock that is held outlives it',
    (column) =>
      holding(oddStore(), async (holdfast) => {
        let answers = 0
        instead = changing((rows) => {
          answers += 1
          return rows.map((row) =>
            column in row ? { ...row, [column]: values[answers % values.length] } : row,
          )
        })
        await outcomesOf(holdfast, column)
      }),
    30_000,
  )

  if (product !== 'PostgreSQL') return

  test(
    'faults A1, B18: answers of the table that are none are errors of Holdfast, and grant nothing',
    () =>
      holding(oddStore(), async (holdfast) => {
        const reasons = new Set<unknown>()
        for (const [how, change] of Object.entries(changes)) {
          instead = change
          for (const [what, outcome] of await outcomesOf(holdfast, how)) {
            if (what === 'list' && outcome === undefined) continue
            expect(outcome, `${what} with ${how}`).toBeInstanceOf(HoldfastError)
            reasons.add(Object(outcome).reason)
          }
        }
        expect(reasons).toContain('unreadable')
      }),
    60_000,
  )

  test('faults A1: of session locks are errors of Holdfast, and grant nothing', async () => {
    const holdfast = new Holdfast(advisory(oddPool()), { commandTimeoutMs: 1_000, storeTimeoutMs: 1_000 })
    holdfast.on('error', () => undefined)
    for (const [how, change] of Object.entries(changes)) {
      instead = change
      const outcome = await rejectionOf(holdfast.lock(randomUUID()).tryAcquire())
      expect(outcome, how).toBeInstanceOf(HoldfastError)
      expect(`${outcome} ${JSON.stringify(outcome)}`, how).not.toContain(MARK)
    }
    instead = undefined
    await holdfast.close()
  }, 60_000)
})
