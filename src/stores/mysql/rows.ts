import type { StoreSettings } from '../../port/store.js'
import type { Rows } from '../rows/rows.js'
import { Connections } from '../sql/connections.js'
import { Connector } from '../sql/connector.js'
import { HASHED_LIKE, namesLike } from '../sql/names.js'
import { SqlSession } from '../sql/session.js'
import { deleteBlank } from './delete-blank.js'
import { MysqlDialect } from './dialect.js'
import { MysqlExpress } from './express.js'
import type { MysqlSettings } from './options.js'
import { statementsFor } from './statements.js'
import { likeOf } from './stored-name.js'
import { MysqlTable } from './table.js'
import { MysqlTies } from './ties.js'

/** Locks as rows of one table of MySQL or MariaDB. There is no inbox: the servers announce no release, and waiting calls ask again. */
export class MysqlRows implements Rows {
  constructor(private readonly options: MysqlSettings) {}

  openRows(settings: StoreSettings): SqlSession {
    const { options } = this
    const statements = statementsFor(options.table)
    const connector = new Connector(new MysqlDialect(options, statements, settings), settings)
    const connections = new Connections(connector, settings, {
      most: options.connections,
      // Waiters poll, with timers.
      inUse: () => settings.schedule.size > 0,
    })
    const ties = new MysqlTies(connections, statements)
    return new SqlSession(
      {
        ties,
        rows: new MysqlTable(connections, statements, ties),
        express: new MysqlExpress(connections, statements, settings),
        names: (keyspace, glob) =>
          namesLike(connections, glob, {
            statement: statements.names,
            values: (hashed, after) => [
              keyspace,
              Buffer.from(after, 'hex'),
              hashed ? Buffer.from(HASHED_LIKE) : likeOf(glob),
            ],
            key: 'bytes',
            nameOf: (bytes) => Buffer.from(bytes, 'hex').toString(),
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
}
