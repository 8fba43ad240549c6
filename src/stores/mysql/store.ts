import { checkObject } from '../../base/checks/checks.js'
import type { Store, StoreSession, StoreSettings } from '../../port/store.js'
import type { StoreTraits } from '../../port/store-traits.js'
import type { Rows } from '../rows/rows.js'
import { RowStoreSession } from '../rows/session.js'
import { isPool, type MysqlPool } from './client.js'
import { checkMysqlOptions, connectOf, type MysqlOptions } from './options.js'
import { mysqlRows } from './rows.js'

/**
 * Locks in a table of MySQL (8.0 or later) or MariaDB (10.6 or later), for `new Holdfast(mysql(pool))`: `lock`, `fencedLock`,
 * `spinLock`, `semaphore`, `permitExpirableSemaphore`, `countDownLatch`, `computeOnce` and `guardedValue`. These servers tell nobody of a
 * change, so a call that waits asks again, after 5 ms at first and after 200 ms at most; `fairLock` and `readWriteLock` throw an
 * `UnsupportedKindError`. See docs/mysql.md.
 *
 * @param pool says where the server is and how to log in: a pool of `mysql2`, of `mysql2/promise` or of `mariadb`. With mysql2, Holdfast opens
 *   connections of its own with the same options. The pool of mariadb keeps its options to itself: Holdfast takes up to `connections` out of
 *   it, which are closed when idle. It never ends the pool.
 * @throws InvalidArgumentError for what is no pool, and for bad options.
 */
export function mysql(pool: MysqlPool, options?: Omit<MysqlOptions, 'connect'>): MysqlStore
export function mysql(options: MysqlOptions): MysqlStore
export function mysql(
  client: MysqlPool | MysqlOptions,
  options: Omit<MysqlOptions, 'connect'> = {},
): MysqlStore {
  const connect = connectOf(client)
  checkObject('options', options, ['table', 'createTable', 'connections', 'retainMs'])
  return new MysqlStore(
    mysqlRows(checkMysqlOptions({ ...(isPool(client) ? {} : client), ...options, connect })),
  )
}

/** The server announces no release: waiters poll, in no order. */
const traits: Partial<StoreTraits> = {
  push: false,
  fifo: false,
  countsWaiters: false,
  lingers: false,
  kinds: [
    'lock',
    'fencedLock',
    'spinLock',
    'semaphore',
    'permitExpirableSemaphore',
    'countDownLatch',
    'computeOnce',
    'guardedValue',
  ],
}

/** Made by `mysql()`. */
export class MysqlStore implements Store {
  readonly traits = traits
  readonly #rows: Rows

  /** @internal */
  constructor(rows: Rows) {
    this.#rows = rows
  }

  open(settings: StoreSettings): StoreSession {
    return new RowStoreSession(this.#rows, settings)
  }
}
