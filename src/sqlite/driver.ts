// Under another name: bundlers are often told to declare this one.
import { createRequire as requireFrom } from 'node:module'
import process from 'node:process'
import { StoreError } from '../errors/errors.js'
import { needed } from '../errors/peer.js'

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
  throw new StoreError('not-ready', 'open', {
    transient: false,
    hint: `Node ${process.versions.node} has no SQLite of its own: install ${needed('libsql')}, or use Node 22.13 or later.`,
  })
}

/** `node:sqlite`, where Node has it without a flag. */
export function nodeDriver(): Driver | undefined {
  const found = process.getBuiltinModule('node:sqlite')
  return hasDatabase(found) ? (path) => new found.DatabaseSync(path) : undefined
}

/** The optional peer. Not imported, so that nothing has to be there which is not used. */
export function libsqlDriver(): Driver | undefined {
  const found = load('libsql')
  return isOpener(found) ? (path) => new found(path) : undefined
}

function load(name: string): unknown {
  try {
    return requireFrom(import.meta.url)(name)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
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
