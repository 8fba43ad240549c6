/** Whatever stands in the columns that Holdfast reads, every call settles in its time, and every other lock of the client is unharmed. */
import { randomUUID } from 'node:crypto'
import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Hold, Holdfast, HoldfastError } from '../../src/index.js'
import { type MysqlConnection, mysql } from '../../src/stores/mysql/index.js'
import type { SqlAddress } from '../servers/sql/index.js'
import { onDatabases } from '../setup/databases.js'
import { publicCalls } from '../setup/public-calls.js'

const MARK = 'a-secret-that-is-in-no-error'
const SETTINGS = { commandTimeoutMs: 2_000, storeTimeoutMs: 300, watchdogMs: 60_000 }
const COLUMNS = [
  'version',
  'owner',
  'holds',
  'ends_at',
  'fence',
  'rest',
  'now',
  'bytes',
  'full_name',
] as const
const VALUES: readonly unknown[] = [
  null,
  MARK,
  '-7',
  '9'.repeat(40),
  '1e400',
  '0.5',
  7,
  Number.NaN,
  Buffer.from(MARK),
  undefined,
]
const CALLS = [
  'tryAcquire',
  'acquire',
  'inspect',
  'forceUnlock',
  'trySetPermits',
  'permit with an id',
  'countDown',
  'list',
]

type Change = (row: Record<string, unknown>) => Record<string, unknown> | undefined
let change: Change | undefined

function changed(answer: unknown): unknown {
  if (!change || !Array.isArray(answer)) return answer
  const [result, ...others] = answer
  const hostile = change
  const of = (row: unknown): unknown => (typeof row === 'object' && row !== null ? hostile({ ...row }) : row)
  return [Array.isArray(result) ? result.map(of).filter((row) => row !== undefined) : of(result), ...others]
}

/** A connection whose answers something changes on their way. */
async function connect({ host, port, user, password, database }: SqlAddress): Promise<MysqlConnection> {
  const connection = await createConnection({ host, port, user, password, database })
  for (const method of ['query', 'execute'] as const) {
    const real: (...args: never[]) => Promise<unknown> = connection[method].bind(connection)
    Object.defineProperty(connection, method, {
      value: async (...args: never[]) => changed(await real(...args)),
    })
  }
  return connection
}

await onDatabases(['MySQL', 'MariaDB'], (database) => {
  let holdfast: Holdfast
  let hold: Hold
  const lost: unknown[] = []
  beforeAll(async () => {
    holdfast = new Holdfast(
      mysql({ connect: () => connect(database().address), createTable: true }),
      SETTINGS,
    )
    holdfast.on('error', () => undefined)
    holdfast.on('lost', (event) => lost.push(event))
    hold = await holdfast.lock(randomUUID()).acquire()
  })
  afterAll(async () => {
    await hold.release()
    await holdfast.close()
  })

  /** What each call comes to: it settles, and tells nothing of what it has found. */
  async function settled(nameOf: () => Promise<string>): Promise<void> {
    const calls = CALLS.map(async (call) => {
      const name = await nameOf()
      const outcome: unknown = await publicCalls[call]?.(holdfast, name).catch((error: unknown) => error)
      if (outcome instanceof Error) expect(outcome, call).toBeInstanceOf(HoldfastError)
      expect(`${outcome} ${JSON.stringify(outcome)}`, call).not.toContain(MARK)
    })
    await Promise.all(calls)
  }

  test.each([...COLUMNS, 'affectedRows', 'insertId'])(
    'faults A1: whatever answers say in %s, calls settle, and a lock that is held outlives it',
    async (column) => {
      let answers = 0
      change = (row) => {
        answers += 1
        return column in row ? { ...row, [column]: VALUES[answers % VALUES.length] } : row
      }
      await settled(async () => randomUUID())
      change = undefined
      expect(lost).toEqual([])
      await hold.extend(60_000)
    },
    30_000,
  )
})
