import type { StoreSettings } from '../../port/store.js'
import type { InboxListener } from '../rows/rows.js'
import { Connections } from '../sql/connections.js'
import { Connector } from '../sql/connector.js'
import { HASHED_LIKE, namesLike } from '../sql/names.js'
import type { TableSettings } from '../sql/options.js'
import { question } from '../sql/question.js'
import { SqlSession, type SqlTable } from '../sql/session.js'
import type { MakeConnection } from './connection.js'
import { PostgresDialect, postgresTableMaker } from './dialect.js'
import { PostgresExpress } from './express.js'
import { PostgresInbox } from './inbox.js'
import { NotifyQueue } from './notify-queue.js'
import { SeenRows } from './seen-rows.js'
import { statementsFor } from './statements.js'
import { likeOf } from './stored-name.js'
import { PostgresTable } from './table.js'
import { PostgresTies } from './ties.js'

/** Locks as rows of one table of PostgreSQL. */
export function postgresRows(makeConnection: MakeConnection, options: TableSettings) {
  const { table, createTable, connections: most, retainMs } = options
  return {
    openRows(settings: StoreSettings, listener: InboxListener): SqlSession {
      const seen = new SeenRows(settings.schedule)
      const statements = statementsFor(table)
      const dialect = new PostgresDialect(makeConnection, settings, postgresTableMaker(createTable, table))
      const connector = new Connector(dialect, settings)
      const inUse = (): boolean => settings.schedule.size > 0 || listener.waits === true
      const connections = new Connections(connector, settings, { most, inUse })
      const queue = new NotifyQueue(connections, settings, listener)
      const inbox = new PostgresInbox(connector, dialect, queue, settings, listener)
      const sqlTable: SqlTable = {
        ties: new PostgresTies(connections),
        rows: new PostgresTable(connections, statements, seen, queue),
        express: new PostgresExpress(connections, statements, seen, queue, settings),
        inbox: () => (dialect.pooled || queue.full ? undefined : inbox),
        names: (keyspace, glob) =>
          namesLike(connections, glob, {
            statement: statements.names,
            values: (hashed, after) => [keyspace, after, hashed ? HASHED_LIKE : likeOf(glob)],
            key: 'name',
            nameOf: (name) => name,
          }),
        async clean() {
          await connections.query(question(statements.clean, [String(retainMs)], 'clean'))
        },
        close() {
          connections.close()
          inbox.close()
        },
      }
      return new SqlSession(sqlTable, settings)
    },
  }
}
