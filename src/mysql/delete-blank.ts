import { text } from '../sql/connection.js'
import type { Connections } from '../sql/connections.js'
import { BATCH, type Statements } from './statements.js'

/** Deletes at most 1 000 rows that say nothing and have not changed for that long. */
export async function deleteBlank(
  connections: Connections,
  statements: Statements,
  retainMs: number,
): Promise<void> {
  const retainUs = String(retainMs * 1_000)
  const about = { command: 'clean' }
  const rows = await connections.query({
    statement: statements.blank,
    values: [retainUs, retainUs, retainUs],
    about,
  })
  const keys = rows.map((row) => [bytesOf(row, 'space'), bytesOf(row, 'bytes'), text(row, 'written') ?? null])
  for (let from = 0; from < keys.length; from += BATCH) {
    const batch = keys.slice(from, from + BATCH)
    await connections.query({
      statement: statements.delete,
      values: Array.from({ length: BATCH }, (_, index) => batch[index % batch.length] ?? []).flat(),
      about,
    })
  }
}

function bytesOf(row: Parameters<typeof text>[0], column: string): Buffer {
  return Buffer.from(text(row, column) ?? '', 'hex')
}
