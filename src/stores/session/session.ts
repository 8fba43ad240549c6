import type { StoreSession, StoreSettings } from '../../port/store.js'
import { type StoreTraits, storeKinds } from '../../port/store-traits.js'
import { RowGuardedPort } from '../rows/guarded-port.js'
import { RowClient } from '../rows/row-client.js'
import { rowsIn } from './cell-table.js'
import { SessionLatchPort } from './latch-port.js'
import type { LinkListener, SessionLink } from './link.js'
import { SessionLockPort } from './lock-port.js'
import { Places } from './places.js'
import { SessionSemaphorePort } from './semaphore-port.js'
import { SessionValuesPort } from './values-port.js'

/** The traits of every store with sessions; each adds its own. */
export const sessionTraits = {
  countsVisible: false,
  tellsSince: false,
  lingersFenced: false,
  detaches: false,
  kinds: storeKinds.filter((kind) => kind !== 'permitExpirableSemaphore'),
} satisfies Partial<StoreTraits>

/** One client's access to locks that last as long as its session. */
export class SessionStoreSession implements StoreSession {
  readonly lock: SessionLockPort
  readonly fencedLock: SessionLockPort
  readonly fairLock: SessionLockPort
  readonly spinLock: SessionLockPort
  readonly readWriteLock: { readonly read: SessionLockPort; readonly write: SessionLockPort }
  readonly semaphore: SessionSemaphorePort
  readonly countDownLatch: SessionLatchPort
  readonly values: SessionValuesPort
  readonly guardedValues: RowGuardedPort
  readonly #places: Places

  constructor(linkTo: (listener: LinkListener) => SessionLink, settings: StoreSettings) {
    const places = new Places(linkTo, settings)
    this.#places = places
    const plain = { keyspace: 'lock', mode: 'lock', fenced: false } as const
    this.lock = new SessionLockPort(places, { ...plain, joins: true })
    this.fairLock = new SessionLockPort(places, { ...plain, joins: true })
    this.fencedLock = new SessionLockPort(places, { ...plain, joins: true, fenced: true })
    this.spinLock = new SessionLockPort(places, { ...plain, joins: false })
    const sides = { keyspace: 'read-write', joins: true, fenced: true } as const
    this.readWriteLock = {
      read: new SessionLockPort(places, { ...sides, mode: 'read' }),
      write: new SessionLockPort(places, { ...sides, mode: 'write' }),
    }
    const { cells } = places.link
    const client = new RowClient({ openRows: () => rowsIn(cells, settings) }, settings)
    this.semaphore = new SessionSemaphorePort(client, places)
    this.countDownLatch = new SessionLatchPort(client, places, cells)
    this.values = new SessionValuesPort(places, cells)
    this.guardedValues = new RowGuardedPort(client)
  }

  close(): Promise<void> {
    return this.#places.close()
  }
}
