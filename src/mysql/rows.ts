import type { StoreSettings } from '../ports/store.js'
import type { Rows } from '../rows/rows.js'
import type { MysqlSettings } from './options.js'
import { MysqlSession } from './session.js'

/** Locks as rows of one table of MySQL or MariaDB. */
export class MysqlRows implements Rows {
  constructor(private readonly settings: MysqlSettings) {}

  openRows(settings: StoreSettings): MysqlSession {
    return new MysqlSession(this.settings, settings)
  }
}
