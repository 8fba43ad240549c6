import type { ProductName, SqlServer } from '../../servers/sql/index.js'

/** A row as the operator sees it, by its columns. */
export type Row = Readonly<Record<string, unknown>>

/** A session of the operator, who may do everything. */
export interface Operator {
  ask(statement: string): Promise<readonly Row[]>
  end(): Promise<void>
}

/** A database that keeps locks, as nemeses and the checker see it. */
export interface Database {
  readonly product: ProductName | 'SQLite'
  /** The server that takes the writes at present; a file has none. */
  readonly primary?: SqlServer
  readonly replica?: SqlServer
  /** Where a file lies that can be left without room. */
  readonly disk?: { fill(): Promise<void>; clear(): Promise<void> }
  operate(): Promise<Operator>
}

/** As whom workers log in: with the rights that the pages ask for, and no others. */
export const WORKER = { user: 'worker', password: 'a password of workers' } as const

/** What the application of the workers writes: see program/ledger.ts. */
export const LEDGER = 'CREATE TABLE ledger (name varchar(100), number int, writer varchar(100))'

export async function operating<Result>(
  database: Pick<Database, 'operate'>,
  work: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  const operator = await database.operate()
  try {
    return await work(operator)
  } finally {
    await operator.end().catch(() => undefined)
  }
}
