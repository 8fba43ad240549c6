import type { StoreSettings } from '../../port/store.js'
import type { Rows } from '../rows/rows.js'
import type { SqlSession } from '../sql/session.js'
import type { MysqlSettings } from './options.js'
import { openSession } from './session.js'

/** Locks as rows of one table of MySQL or MariaDB. */
export class MysqlRows implements Rows {
  constructor(private readonly settings: MysqlSettings) {}

  openRows(settings: StoreSettings): SqlSession {
    return openSession(this.settings, settings)
  }
}
