import { aText } from '../rows/parts.js'
import type { SqlRow } from '../sql/connection.js'
import type { Connections } from '../sql/connections.js'
import { question } from '../sql/question.js'
import { BATCH, type Statements } from './statements.js'

/** Deletes at most 1 000 rows that say nothing and have not changed for that long. */
export async function deleteBlank(
  connections: Connections,
  statements: Statements,
  retainMs: number,
): Promise<void> {
  const retainUs = String(retainMs * 1_000)
  const blank = question(statements.blank, [retainUs, retainUs, retainUs], 'clean')
  const keys = await connections.read(blank, (rows) =>
    rows.map((row) => [bytesOf(row, 'space'), bytesOf(row, 'bytes'), aText(row['written'], 'written')]),
  )
  for (let from = 0; from < keys.length; from += BATCH) {
    const batch = keys.slice(from, from + BATCH)
    const values = Array.from({ length: BATCH }, (_, index) => batch[index % batch.length] ?? []).flat()
    await connections.query(question(statements.delete, values, 'clean'))
  }
}

function bytesOf(row: SqlRow, column: string): Buffer {
  return Buffer.from(aText(row[column], column), 'hex')
}
