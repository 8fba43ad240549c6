import { checkBoolean, whole } from '../../base/checks/checks.js'

export const DEFAULT_TABLE = 'holdfast_locks'

/** Options of a store that keeps its locks in a table. */
interface TableOptions {
  readonly table?: string | undefined
  readonly createTable?: boolean | undefined
  readonly connections?: number | undefined
  readonly retainMs?: number | undefined
}

/** The options, checked and with their defaults. */
export interface TableSettings {
  /** In SQL. */
  readonly table: string
  /** The SQL that creates it, with `createTable`. */
  readonly createTable: string | undefined
  readonly connections: number
  readonly retainMs: number
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

export function checkTableOptions(
  { table = DEFAULT_TABLE, createTable = false, connections, retainMs }: TableOptions,
  quoteTable: (table: unknown) => string,
  schemaOf: (options: { readonly table: string }) => string,
): TableSettings {
  checkBoolean('createTable', createTable)
  return {
    table: quoteTable(table),
    createTable: createTable ? schemaOf({ table }) : undefined,
    connections: whole('connections', connections, 1, 'connections') ?? 4,
    retainMs: whole('retainMs', retainMs, MINUTE_MS) ?? DAY_MS,
  }
}
