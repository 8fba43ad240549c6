import { checkFunction, checkObject, whole } from '../base/checks/checks.js'
import { InvalidArgumentError } from '../base/errors/errors.js'
import { VersionConflictError } from '../base/errors/version-conflict-error.js'
import { BackOff } from '../base/time/back-off.js'
import { machineTime, pause } from '../base/time/machine-time.js'
import { type Connection, isObject, type Row, type SqlConnection } from '../port/sql-connection.js'
import { connectionOf } from './driver.js'
import { failureOf } from './failure.js'

/** Which row to change, and how often to try. */
export interface VersionedRow {
  /** The table, with its schema where that is needed: `app.stock`. */
  readonly table: string
  /** The columns that identify the row, with their values. */
  readonly key: Row
  /**
   * The column that counts changes: a whole number, not null. Every other program that changes the row has to increase it too.
   * @default 'version'
   */
  readonly version?: string
  /**
   * How often to read and write the row before giving up. Minimum: 1.
   * @default 10
   */
  readonly attempts?: number
}

const PAUSES = new BackOff({ firstPauseMs: 2, longestPauseMs: 100, factor: 2 })

/**
 * Changes a row without locking it: reads it, computes, and writes the result if nobody has changed the row meanwhile; otherwise begins
 * anew after a short pause. Gives the row as written; as it is, if `compute` gives undefined; undefined, if there is no such row.
 *
 * Rejects with `VersionConflictError` when all attempts were in vain, or at once where the transaction cannot see the others' changes
 * (REPEATABLE READ of MySQL and MariaDB; PostgreSQL refuses such a write, which is a `StoreError`); with what `compute` throws;
 * with `InvalidArgumentError` or `StoreError`.
 *
 * @param db a connection, in a transaction or not, or a pool. Without a transaction each attempt is on its own.
 * @param compute gives the columns to change and their new values; what it gives for the version is ignored. It may be called several
 * times, so it keeps nothing.
 */
export async function updateVersioned(
  db: SqlConnection,
  row: VersionedRow,
  compute: (row: Row) => Row | undefined | Promise<Row | undefined>,
): Promise<Row | undefined> {
  const { table, key, version = 'version', attempts = 10 } = checked(row)
  checkFunction('compute', compute)
  const connection = connectionOf(db)
  const about = { call: 'updateVersioned', lockName: table, startedAt: machineTime.monotonicMs() }
  const run: Connection['query'] = (text, values) =>
    connection.query(text, values).catch((error) => Promise.reject(failureOf(error, about)))
  const quoted = quoter(connection.dialect)
  const place = quoted.name(table)
  let refused: unknown
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const read = quoted.statement()
    const where = read.equal(Object.entries(key), ' AND ')
    const { rows } = await run(`SELECT * FROM ${place} WHERE ${where}`, read.values)
    const [found] = rows
    if (!found) return undefined
    if (rows.length > 1) {
      const several = { found: 'matches several rows' }
      throw new InvalidArgumentError('key', key, 'columns that identify one row', several)
    }
    const seen = found[version]
    if (seen === undefined || seen === null) {
      throw new InvalidArgumentError('version', version, `a column of ${table} that is not null`)
    }
    if (attempt > 1 && String(seen) === String(refused)) throw new VersionConflictError(table, attempt, true)
    const computed = await compute(found)
    if (computed === undefined) return found
    if (!isObject(computed))
      throw new InvalidArgumentError('compute', computed, 'a function that returns an object of columns')
    // The version goes up by one whatever `compute` gives: an earlier number would hide the changes of others.
    const changes = Object.entries(computed).filter(([column]) => !quoted.isSame(column, version))
    const write = quoted.statement()
    const set = write.equal(changes, ', ')
    const counter = quoted.column(version)
    const next = `${counter} = ${counter} + 1`
    const { changed } = await run(
      `UPDATE ${place} SET ${set}${set && ', '}${next} WHERE ${write.equal([...Object.entries(key), [version, seen]], ' AND ')}`,
      write.values,
    )
    if (changed > 0) return { ...found, ...Object.fromEntries(changes), [version]: increased(seen) }
    refused = seen
    if (attempt < attempts) await pause(PAUSES.pauseMs(attempt, Math.random()))
  }
  throw new VersionConflictError(table, attempts, false)
}

function checked(row: VersionedRow): VersionedRow {
  checkObject('row', row, ['table', 'key', 'version', 'attempts'])
  const { table, key, version, attempts } = row
  if (typeof table !== 'string' || table === '')
    throw new InvalidArgumentError('table', table, 'the name of a table')
  if (!isObject(key) || Object.keys(key).length === 0) {
    throw new InvalidArgumentError('key', key, 'an object with at least one column')
  }
  if (version !== undefined && (typeof version !== 'string' || version === '')) {
    throw new InvalidArgumentError('version', version, 'the name of a column')
  }
  whole('attempts', attempts, 1, 'attempts')
  return row
}

/** As the driver gave it: a number, a bigint, or digits in a string. */
function increased(version: unknown): unknown {
  if (typeof version === 'number') return version + 1
  const next = BigInt(String(version)) + 1n
  return typeof version === 'bigint' ? next : String(next)
}

/** Writes names and values as that dialect takes them. */
function quoter(dialect: Connection['dialect']) {
  const mark = dialect === 'postgres' ? '"' : '`'
  const column = (name: string): string => mark + name.replaceAll(mark, mark + mark) + mark
  return {
    column,
    isSame: (one: string, other: string): boolean =>
      dialect === 'postgres' ? one === other : one.toLowerCase() === other.toLowerCase(),
    name: (table: string): string => table.split('.').map(column).join('.'),
    statement() {
      const values: unknown[] = []
      const equal = (entries: ReadonlyArray<readonly [string, unknown]>, between: string): string =>
        entries
          .map(([name, value]) => {
            const count = values.push(value)
            return `${column(name)} = ${dialect === 'postgres' ? `$${count}` : '?'}`
          })
          .join(between)
      return { values, equal }
    },
  }
}
