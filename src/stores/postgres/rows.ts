import type { StoreSettings } from '../../port/store.js'
import type { InboxListener, Rows } from '../rows/rows.js'
import type { SqlSession } from '../sql/session.js'
import type { MakeConnection } from './connection.js'
import type { PostgresSettings } from './options.js'
import { openSession } from './session.js'

/** Locks as rows of one table of PostgreSQL. */
export class PostgresRows implements Rows {
  constructor(
    private readonly makeConnection: MakeConnection,
    private readonly settings: PostgresSettings,
  ) {}

  openRows(settings: StoreSettings, listener: InboxListener): SqlSession {
    return openSession(this.makeConnection, this.settings, settings, listener)
  }
}
