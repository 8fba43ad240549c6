import { rmSync } from 'node:fs'
import type { StoreError } from '../../base/errors/errors.js'
import { isBelow } from '../sql/version.js'
import type { Connection } from './driver.js'
import { unusable } from './failure.js'

/** The oldest SQLite that has RETURNING, and a conflict without a target. */
const OLDEST = [3, 35] as const

/** Raised with every change of the tables. */
const VERSION = 1

/** Marks the file as Holdfast's: "Hold" in ASCII. */
const APPLICATION = 0x486f6c64

/** What each table is for stands in `docs/sqlite.md`. */
const TABLES = `
CREATE TABLE holdfast_rows (
  keyspace TEXT NOT NULL, name TEXT NOT NULL, owner TEXT, holds INTEGER NOT NULL, ends_at REAL, fence INTEGER,
  waiting TEXT NOT NULL, rest TEXT, changed_at REAL NOT NULL, PRIMARY KEY (keyspace, name)
) WITHOUT ROWID;
CREATE TABLE holdfast_clients (
  id TEXT PRIMARY KEY, boot TEXT, pid INTEGER NOT NULL, started TEXT, namespace TEXT, listens INTEGER NOT NULL,
  seen_at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE holdfast_messages (
  client TEXT NOT NULL, id INTEGER NOT NULL, keyspace TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY (client, id)
) WITHOUT ROWID;
CREATE TABLE holdfast_machine (boot TEXT NOT NULL, zero REAL NOT NULL, cleaned_at REAL NOT NULL);
INSERT INTO holdfast_machine VALUES ('', 0, 0);
PRAGMA application_id = ${APPLICATION};
PRAGMA user_version = ${VERSION};
`

/**
 * Makes the tables in a new file, however many processes begin at once.
 * @param index the path of the index of the log
 * @throws StoreError if SQLite is too old, or the file is another program's or of a later version of Holdfast.
 */
export function prepareFile(connection: Connection, index: string): void {
  checkLibrary(connection)
  if (isReadyNow(connection)) return
  // A database in memory has no log.
  if (readOne(connection, 'PRAGMA journal_mode') !== 'memory') {
    removeIndex(connection, index)
    setUp(connection)
  }
  connection.exec('BEGIN IMMEDIATE')
  try {
    if (!isReady(connection)) connection.exec(TABLES)
    connection.exec('COMMIT')
  } catch (error) {
    rollback(connection)
    throw error
  }
}

/** Takes a transaction back. Never fails: SQLite itself takes it back after many an error, which is the one to tell. */
export function rollback(connection: Connection): void {
  try {
    connection.exec('ROLLBACK')
  } catch {
    // There is no transaction.
  }
}

function checkLibrary(connection: Connection): void {
  const version = String(readOne(connection, 'SELECT sqlite_version()'))
  if (!isBelow(version, OLDEST)) return
  throw unusable(
    'not-ready',
    `The library is SQLite ${version}; Holdfast needs ${OLDEST.join('.')} or later. Use another Node, or another version of libsql.`,
  )
}

/**
 * Whoever deletes or moves a file alone leaves the index of its log, which processes that have that file open keep in use: SQLite would look in
 * this file's log for what that index knows. A file that is not yet set up has no index of its own, and to set it up takes this lock.
 */
function removeIndex(connection: Connection, index: string): void {
  connection.exec('BEGIN EXCLUSIVE')
  try {
    if (readOne(connection, 'PRAGMA journal_mode') !== 'wal') rmSync(index, { force: true })
  } finally {
    rollback(connection)
  }
}

/** Readers and the one writer do not hinder each other. Kept in the file. */
function setUp(connection: Connection): void {
  const mode = readOne(connection, 'PRAGMA journal_mode = WAL')
  if (mode !== 'wal')
    throw foreign(`its file system allows no write-ahead log (journal mode ${String(mode)}): choose another`)
}

/** Its three looks are at one state of the file: another process may be making the tables. */
function isReadyNow(connection: Connection): boolean {
  connection.exec('BEGIN')
  try {
    return isReady(connection)
  } finally {
    rollback(connection)
  }
}

function isReady(connection: Connection): boolean {
  // Messages are compared byte by byte.
  if (readOne(connection, 'PRAGMA encoding') !== 'UTF-8')
    throw foreign('its texts are not in UTF-8: locks need a file of their own')
  const application = readOne(connection, 'PRAGMA application_id')
  const version = readOne(connection, 'PRAGMA user_version')
  if (application === APPLICATION) {
    if (version === VERSION) return true
    throw foreign(`it is of a later version of Holdfast (schema ${String(version)}): update this one`)
  }
  if (application === 0 && version === 0 && readOne(connection, 'SELECT count(*) FROM sqlite_schema') === 0)
    return false
  throw foreign('it is the database of another program: locks need a file of their own')
}

function foreign(why: string): StoreError {
  return unusable('wrong-type', `The database file cannot be used: ${why}.`)
}

/** The first column of a statement's only row. */
function readOne(connection: Connection, sql: string): unknown {
  const [row] = connection.prepare(sql).all()
  if (typeof row !== 'object' || row === null) return undefined
  const [value] = Object.values(row)
  return value
}
