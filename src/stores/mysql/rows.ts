import type { StoreSettings } from '../../port/store.js'
import { Connections } from '../sql/connections.js'
import { Connector } from '../sql/connector.js'
import { HASHED_LIKE, namesLike } from '../sql/names.js'
import { SqlSession, type SqlTable } from '../sql/session.js'
import { deleteBlank } from './delete-blank.js'
import { mysqlDialect, mysqlTableMaker } from './dialect.js'
import { MysqlExpress } from './express.js'
import type { MysqlSettings } from './options.js'
import { statementsFor } from './statements.js'
import { likeOf } from './stored-name.js'
import { MysqlTable } from './table.js'
import { MysqlTies } from './ties.js'

/** Locks as rows of one table of MySQL or MariaDB. There is no inbox: the servers announce no release, and waiting calls ask again. */
export function mysqlRows({ connect, createTable, table, connections: most, retainMs }: MysqlSettings) {
  return {
    openRows(settings: StoreSettings): SqlSession {
      const statements = statementsFor(table)
      const dialect = mysqlDialect(connect, settings, mysqlTableMaker(createTable, statements))
      // Waiters poll, with timers.
      const inUse = (): boolean => settings.schedule.size > 0
      const connections = new Connections(new Connector(dialect, settings), settings, { most, inUse })
      const ties = new MysqlTies(connections, statements)
      const sqlTable: SqlTable = {
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
        clean: () => deleteBlank(connections, statements, retainMs),
        close: () => connections.close(),
      }
      return new SqlSession(sqlTable, settings)
    },
  }
}
