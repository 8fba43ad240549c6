import { matchesGlob } from '../rows/glob.js'
import type { Keyspace } from '../rows/shape.js'
import { text } from '../sql/connection.js'
import type { Connections } from '../sql/connections.js'
import type { Statements } from './statements.js'
import { HASHED_LIKE, likeOf } from './stored-name.js'

/** The names of that keyspace that match a glob, in order, those that are kept as hashes last. */
export async function* namesLike(
  connections: Connections,
  statements: Statements,
  keyspace: Keyspace,
  glob: string,
): AsyncGenerator<string> {
  for (const [like, hashed] of [
    [likeOf(glob), false],
    [HASHED_LIKE, true],
  ] as const) {
    for (let last: string | undefined = ''; last !== undefined; ) {
      const rows = await connections.query({
        statement: statements.names,
        values: [keyspace, Buffer.from(last, 'hex'), like],
        about: { command: 'names' },
      })
      last = text(rows.at(-1), 'name')
      for (const row of rows) {
        const full = text(row, 'full_name')
        const stored = Buffer.from(text(row, 'name') ?? '', 'hex').toString()
        const name: unknown = full === undefined ? stored : JSON.parse(full)
        if (hashed === (full !== undefined) && typeof name === 'string' && matchesGlob(glob, name)) yield name
      }
    }
  }
}
