import { statSync } from 'node:fs'
import type { DatabaseFile } from './database-file.js'
import type { Connection, Driver, Statement, Value } from './driver.js'
import type { Machine } from './machine.js'
import { prepareFile, rollback } from './schema.js'

/** The values of a row, in the order of its columns. */
type Row = readonly unknown[]

/** The size of the log at which this writes it back into the file, in bytes: a thousand pages. */
const LOG_BYTES = 4_096_000

/** How many transactions of its own it makes between two looks at the size of the log. */
const LOOK_AFTER = 16

/**
 * A commit returns when the transaction is on the disk, so that a power cut takes no token back. SQLite refuses a locked file at once, so that
 * a wait for it does not block this thread. Only {@link Database.#writeBack} writes the log back.
 */
const SETTINGS = `
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = 0;
`

/** The open database of one client. Every method may throw the driver's errors. */
export class Database {
  readonly #connection: Connection
  /** Writes the log back. */
  #second: Connection | undefined
  readonly #statements = new Map<string, Statement>()
  /** The offset to the machine's monotonic time; undefined where the wall clock counts. */
  readonly #zero: number | undefined
  #untilLook = 0

  constructor(
    readonly file: DatabaseFile,
    private readonly driver: Driver,
    private readonly machine: Machine,
  ) {
    this.#connection = open(file, driver)
    try {
      prepareFile(this.#connection, file.index)
      this.#connection.exec(SETTINGS)
      this.all(`PRAGMA journal_size_limit = ${LOG_BYTES}`)
      this.#zero = machine.boot === undefined ? undefined : this.#findZero(machine.boot)
    } catch (error) {
      this.#connection.close()
      throw error
    }
  }

  /** Milliseconds since 1970, where possible by a clock that all processes of the machine share and nobody sets. */
  get now(): number {
    return this.#zero === undefined ? this.machine.wallMs() : this.#zero + this.machine.monotonicMs()
  }

  /** The rows of a statement that gives some. */
  all(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql)
      .all(...values)
      .map(valuesOf)
  }

  /** The first value of the first row; undefined if there is none. */
  one(sql: string, ...values: Value[]): unknown {
    return this.all(sql, ...values)[0]?.[0]
  }

  /** Runs a statement that gives no rows. Returns how many it has written. */
  run(sql: string, ...values: Value[]): number {
    return Number(this.#statement(sql).run(...values).changes)
  }

  /** Begins a transaction in which nobody else may write. */
  begin(): void {
    this.run('BEGIN IMMEDIATE')
  }

  commit(): void {
    this.run('COMMIT')
    this.#untilLook -= 1
    if (this.#untilLook > 0) return
    this.#untilLook = LOOK_AFTER
    this.#writeBack()
  }

  /** Undoes all changes since {@link begin}. Never fails. */
  rollback(): void {
    rollback(this.#connection)
  }

  /** Closes the file; nothing of an open transaction stays. */
  close(): void {
    // libsql closes the files when the garbage collector has found all statements.
    this.#statements.clear()
    this.#second?.close()
    this.#connection.close()
  }

  /**
   * Writes a large log back into the file, while nobody can commit: SQLite before 3.51.3 may damage the file if another connection commits
   * while a second of two check-points in a row begins (https://sqlite.org/wal.html#walresetbug). A connection that has begun a
   * transaction cannot do so itself.
   */
  #writeBack(): void {
    try {
      const log = statSync(this.file.log, { throwIfNoEntry: false })
      if (!log || log.size <= LOG_BYTES) return
      this.#second ??= open(this.file, this.driver)
      this.begin()
      try {
        this.#second.exec('PRAGMA wal_checkpoint(PASSIVE)')
      } finally {
        this.rollback()
      }
    } catch {
      // Another process writes, or writes the log back too. Commits are safe in the log, which only grows meanwhile.
    }
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#connection.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  /** The first client after a start of the machine sets the time to the wall clock's, but never back. */
  #findZero(boot: string): number {
    const known = this.#zeroOf(boot)
    if (known !== undefined) return known
    this.begin()
    try {
      const found = this.#zeroOf(boot) ?? this.#setZero(boot)
      this.commit()
      return found
    } catch (error) {
      this.rollback()
      throw error
    }
  }

  #zeroOf(boot: string): number | undefined {
    const zero = this.one('SELECT zero FROM holdfast_machine WHERE boot = ?', boot)
    return typeof zero === 'number' ? zero : undefined
  }

  #setZero(boot: string): number {
    const last = this.one(
      `SELECT max(coalesce((SELECT max(changed_at) FROM holdfast_rows), 0),
        coalesce((SELECT max(cleaned_at) FROM holdfast_machine), 0))`,
    )
    const zero =
      Math.max(this.machine.wallMs(), typeof last === 'number' ? last : 0) - this.machine.monotonicMs()
    this.run('UPDATE holdfast_machine SET boot = ?, zero = ?', boot, zero)
    return zero
  }
}

function open(file: DatabaseFile, driver: Driver): Connection {
  const connection = driver(file.source)
  connection.exec('PRAGMA busy_timeout = 0')
  return connection
}

function valuesOf(row: unknown): Row {
  return typeof row === 'object' && row !== null ? Object.values(row) : []
}
