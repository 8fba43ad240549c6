import type { Store, StoreSession, StoreSettings } from '../ports/store.js'
import type { StoreTraits } from '../ports/store-traits.js'
import { RowStoreSession } from '../rows/session.js'
import { checkMysqlOptions, type MysqlOptions } from './options.js'
import { MysqlRows } from './rows.js'

/**
 * Locks in a table of MySQL (8.0 or later) or MariaDB (10.6 or later), for `new Holdfast(mysql({ connect }))`: `lock`, `fencedLock`,
 * `spinLock`, `semaphore`, `permitExpirableSemaphore`, `countDownLatch`, `computeOnce` and `guardedValue`. These servers tell nobody of a
 * change, so a call that waits asks again, after 5 ms at first and after 200 ms at most; `fairLock` and `readWriteLock` throw an
 * `UnsupportedKindError`. See docs/mysql.md.
 *
 * @throws InvalidArgumentError for bad options.
 */
export function mysql(options: MysqlOptions): MysqlStore {
  return new MysqlStore(new MysqlRows(checkMysqlOptions(options)))
}

/** The server tells nobody of a release: waiters poll, and who comes first is a matter of luck. */
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

/** Made by {@link mysql}. */
export class MysqlStore implements Store {
  readonly traits = traits
  readonly #rows: MysqlRows

  /** @internal */
  constructor(rows: MysqlRows) {
    this.#rows = rows
  }

  open(settings: StoreSettings): StoreSession {
    const all = new RowStoreSession(this.#rows, settings)
    // A fair lock and a read-write lock need lines, and lines need messages.
    const { lock, announcedLock, fencedLock, spinLock, semaphore, permitExpirableSemaphore } = all
    const { countDownLatch, values, guardedValues, edges } = all
    return {
      lock,
      announcedLock,
      fencedLock,
      spinLock,
      semaphore,
      permitExpirableSemaphore,
      countDownLatch,
      values,
      guardedValues,
      edges,
      close: () => all.close(),
    }
  }
}
