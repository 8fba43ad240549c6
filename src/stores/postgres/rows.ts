import type { StoreSettings } from '../../port/store.js'
import type { InboxListener, Rows } from '../rows/rows.js'
import { Connections } from '../sql/connections.js'
import { Connector } from '../sql/connector.js'
import { HASHED_LIKE, namesLike } from '../sql/names.js'
import type { TableSettings } from '../sql/options.js'
import { SqlSession } from '../sql/session.js'
import type { MakeConnection } from './connection.js'
import { PostgresDialect } from './dialect.js'
import { PostgresExpress } from './express.js'
import { PostgresInbox } from './inbox.js'
import { NotifyQueue } from './notify-queue.js'
import { SeenRows } from './seen-rows.js'
import { statementsFor } from './statements.js'
import { likeOf } from './stored-name.js'
import { PostgresTable } from './table.js'
import { PostgresTies } from './ties.js'

/** Locks as rows of one table of PostgreSQL. */
export class PostgresRows implements Rows {
  constructor(
    private readonly makeConnection: MakeConnection,
    private readonly settings: TableSettings,
  ) {}

  openRows(settings: StoreSettings, listener: InboxListener): SqlSession {
    const { table, createTable, connections: most, retainMs } = this.settings
    const seen = new SeenRows(settings.schedule)
    const statements = statementsFor(table)
    const dialect = new PostgresDialect(this.makeConnection, settings, { createTable, table })
    const connector = new Connector(dialect, settings)
    const connections = new Connections(connector, settings, {
      most,
      inUse: () => settings.schedule.size > 0 || listener.waits === true,
    })
    const queue = new NotifyQueue(connections, settings, listener)
    const inbox = new PostgresInbox(connector, dialect, queue, settings, listener)
    return new SqlSession(
      {
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
          const about = { command: 'clean' }
          await connections.query({ statement: statements.clean, values: [String(retainMs)], about })
        },
        close() {
          connector.close()
          connections.close()
          inbox.close()
        },
      },
      settings,
    )
  }
}
