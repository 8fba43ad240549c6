import { statSync } from 'node:fs'
import process from 'node:process'
import { installed, notInstalled } from '../../base/packages/installed.js'

/** One connection to a database file: what Node's own SQLite and libsql have in common. */
export interface Connection {
  /** Runs statements whose rows nobody wants. */
  exec(sql: string): unknown
  prepare(sql: string): Statement
  /** Nobody may use it any more. */
  close(): unknown
  /** Instead of `close`, if it is in order and in no transaction: somebody else in this process may use it. */
  leave?(): unknown
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

interface Opener {
  new (path: string): Connection
}

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
  return hasDatabase(found) ? (path) => new CachedConnection(new found.DatabaseSync(path)) : undefined
}

/** The optional peer. */
export function libsqlDriver(): Driver | undefined {
  const found = installed('libsql')
  return isOpener(found) ? reusing((path) => new found(path)) : undefined
}

/** A connection that prepares each statement once. */
class CachedConnection implements Connection {
  readonly #statements = new Map<string, Statement>()

  constructor(private readonly opened: Connection) {}

  exec(sql: string): void {
    this.opened.exec(sql)
  }

  prepare(sql: string): Statement {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.opened.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  close(): void {
    this.#statements.clear()
    this.opened.close()
  }
}

/** One that goes to the next who opens the file in this process. */
class ReusedConnection extends CachedConnection {
  constructor(
    opened: Connection,
    readonly identity: string | undefined,
  ) {
    super(opened)
  }

  leave(): void {
    left.push(new WeakRef(this))
  }
}

/** Weak, so that the collector closes the files that nobody opens again. */
let left: WeakRef<ReusedConnection>[] = []

/**
 * For libsql: it finalizes no statement, and closes a file only when the garbage collector has found all statements of the connection. These
 * look small, so thousands of files could stay open. A connection keeps its statements when it is reused: one that a locked file has refused
 * stays open, and lets nothing commit, until it runs again.
 */
function reusing(open: Driver): Driver {
  return (path) => {
    const identity = identityOf(path)
    const place = left.findIndex((each) => identity !== undefined && each.deref()?.identity === identity)
    const [found] = place < 0 ? [] : left.splice(place, 1)
    left = left.filter((each) => each.deref())
    return found?.deref() ?? new ReusedConnection(open(path), identity)
  }
}

/** The path belongs to it, since SQLite names the log after it. Undefined if there is no file. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}:${path}`
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

function hasDatabase(found: unknown): found is { readonly DatabaseSync: Opener } {
  return (
    typeof found === 'object' && found !== null && 'DatabaseSync' in found && isOpener(found.DatabaseSync)
  )
}

function isOpener(found: unknown): found is Opener {
  return typeof found === 'function'
}
