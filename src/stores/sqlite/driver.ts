import process from 'node:process'
import { installed, notInstalled, offers } from '../../base/packages/installed.js'

/** One connection to a database file: what Node's own SQLite and libsql have in common. */
export interface Connection {
  /** Runs statements whose rows nobody wants. */
  exec(sql: string): unknown
  prepare(sql: string): Statement
  close(): unknown
}

export interface Statement {
  /** All rows. Only so does libsql end a statement that gives rows: `run` would leave its transaction open. */
  all(...values: Value[]): unknown[]
  /** For statements that give no rows. Tells how many it has written. */
  run(...values: Value[]): { readonly changes: number | bigint }
}

export type Value = string | number | bigint | null

/** Opens a file, and makes it if there is none. */
export type Driver = (path: string) => Connection

type Opener = new (path: string) => Connection

/**
 * Node's own SQLite, or else libsql.
 * @throws StoreError if neither is there.
 */
export function findDriver(): Driver {
  const driver = nodeDriver() ?? libsqlDriver()
  if (driver) return driver
  throw notInstalled(
    `Node ${process.versions.node} has no SQLite, which locks in a file take: npm install libsql, or use Node 22.13 or later. For locks on a ` +
      'server, HOLDFAST_URL names it to new Holdfast() and to the command line, --url to the latter.',
  )
}

/** `node:sqlite`, where Node has it without a flag. */
export function nodeDriver(): Driver | undefined {
  const found = withoutWarning(() => process.getBuiltinModule('node:sqlite'))
  return hasDatabase(found) ? (path) => new found.DatabaseSync(path) : undefined
}

/** The optional peer. */
export function libsqlDriver(): Driver | undefined {
  const found = installed('libsql')
  return isOpener(found) ? (path) => new found(path) : undefined
}

/** Suppresses Node's warning that its SQLite is experimental, which Node emits once, at the load. Other warnings pass. */
function withoutWarning<Result>(load: () => Result): Result {
  const { emitWarning } = process
  const filtered = (...[warning, ...others]: unknown[]): void => {
    if (others[0] === 'ExperimentalWarning' && String(warning).startsWith('SQLite ')) return
    Reflect.apply(emitWarning, process, [warning, ...others])
  }
  process.emitWarning = filtered
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

const hasDatabase = offers<{ readonly DatabaseSync: Opener }>('DatabaseSync')

function isOpener(found: unknown): found is Opener {
  return typeof found === 'function'
}
