import type { StoreSettings } from '../ports/store.js'
import { text } from '../sql/connection.js'
import { Connections } from '../sql/connections.js'
import { Connector } from '../sql/connector.js'
import { namesLike } from '../sql/names.js'
import { SqlSession } from '../sql/session.js'
import { deleteBlank } from './delete-blank.js'
import { MysqlDialect } from './dialect.js'
import { MysqlExpress } from './express.js'
import type { MysqlSettings } from './options.js'
import { statementsFor } from './statements.js'
import { HASHED_LIKE, likeOf } from './stored-name.js'
import { MysqlTable } from './table.js'
import { MysqlTies } from './ties.js'

/** One client's access to the table of locks. It has no inbox: nobody is told of a release, and who waits asks again. */
export function openSession(options: MysqlSettings, settings: StoreSettings): SqlSession {
  const statements = statementsFor(options.table)
  const connector = new Connector(new MysqlDialect(options, statements, settings), settings)
  const connections = new Connections(connector, settings, {
    most: options.connections,
    // Who waits polls, with timers.
    inUse: () => settings.schedule.size > 0,
  })
  const ties = new MysqlTies(connections, statements)
  return new SqlSession(
    {
      ties,
      rows: new MysqlTable(connections, statements, ties),
      express: new MysqlExpress(connections, statements, settings),
      names: (keyspace, glob) =>
        namesLike(glob, async (hashed, after) => {
          const rows = await connections.query({
            statement: statements.names,
            values: [keyspace, Buffer.from(after, 'hex'), hashed ? HASHED_LIKE : likeOf(glob)],
            about: { command: 'names' },
          })
          return rows.map((row) => {
            const key = text(row, 'bytes') ?? ''
            return { key, name: Buffer.from(key, 'hex').toString(), fullName: text(row, 'full_name') }
          })
        }),
      clean: () => deleteBlank(connections, statements, options.retainMs),
      close() {
        connector.close()
        connections.close()
      },
    },
    settings,
  )
}
