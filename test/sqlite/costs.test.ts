/** How many statements it costs. Each change of a row is one transaction. */
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { Holdfast } from '../../src/index.js'
import { RowStoreSession } from '../../src/stores/rows/session.js'
import { type Driver, findDriver, type Value } from '../../src/stores/sqlite/driver.js'
import { checkSqliteOptions } from '../../src/stores/sqlite/options.js'
import { SqliteRows } from '../../src/stores/sqlite/rows.js'
import { until } from '../servers/until.js'
import { Stand } from './stand.js'

const stand = new Stand()

/** Notes the first word of each statement that is run. */
function counted(sent: string[]): Driver {
  const driver = findDriver()
  return (path) => {
    const connection = driver(path)
    const prepare = connection.prepare.bind(connection)
    return Object.assign(connection, {
      prepare(sql: string) {
        const statement = prepare(sql)
        const noted =
          <Result>(run: (...values: Value[]) => Result) =>
          (...values: Value[]): Result => {
            sent.push(sql.trim().split(/\s/, 1).join())
            return run.apply(statement, values)
          }
        return { all: noted(statement.all), run: noted(statement.run) }
      },
    })
  }
}

/** A client that has waited for a lock before, and what it runs from then on. */
async function clientWithCount(path = stand.path()): Promise<{ holdfast: Holdfast; sent: string[] }> {
  const sent: string[] = []
  const rows = new SqliteRows(checkSqliteOptions(path), { driver: counted(sent) })
  const holdfast = new Holdfast(
    { portVersion: 1, open: (settings) => new RowStoreSession(rows, settings) },
    { handOverSliceMs: 60_000 },
  )
  onTestFinished(() => holdfast.close())
  const lock = holdfast.lock(randomUUID())
  await Promise.all([lock.withLock(() => undefined), lock.withLock(() => undefined)])
  sent.length = 0
  return { holdfast, sent }
}

/** Has the one hand a lock over to the other, and tells what that costs. */
async function handOver(
  one: Awaited<ReturnType<typeof clientWithCount>>,
  other: Holdfast,
): Promise<readonly string[]> {
  const lock = one.holdfast.lock('wanted')
  const hold = await lock.acquire()
  const waiting = other.lock('wanted').acquire()
  // The row says it.
  await until(async () => (await lock.countWaitingClients()) === 1, { what: 'it waits' })
  one.sent.length = 0
  await hold.release()
  const sent = one.sent.splice(0)
  await (await waiting).release()
  return sent
}

const TAKEN_AND_FREED = ['BEGIN', 'INSERT', 'COMMIT', 'BEGIN', 'UPDATE', 'COMMIT']

test('a lock that nobody else wants: one transaction to take it, one to free it', async () => {
  const { holdfast, sent } = await clientWithCount()
  await holdfast.lock('alone').withLock(() => undefined)
  expect(sent).toEqual(TAKEN_AND_FREED)
})

test('handed over to another process: one transaction, and none that finds out first that others wait', async () => {
  const path = stand.path()
  const [one, other] = [await clientWithCount(path), await clientWithCount(path)]
  for (let round = 0; round < 2; round += 1)
    expect((await handOver(one, other.holdfast)).filter((statement) => statement === 'BEGIN')).toHaveLength(1)
  // A lock that nobody waits for any more is freed by one statement again.
  const lock = one.holdfast.lock('wanted')
  await lock.withLock(() => undefined)
  one.sent.length = 0
  await lock.withLock(() => undefined)
  expect(one.sent).toEqual(TAKEN_AND_FREED)
})
