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
export function sessionOn(
  linkTo: (listener: LinkListener) => SessionLink,
  settings: StoreSettings,
): StoreSession {
  const places = new Places(linkTo, settings)
  const client = new RowClient({ openRows: () => rowsIn(places.link.cells, settings) }, settings)
  const plain = { keyspace: 'lock', mode: 'lock', joins: true, fenced: false } as const
  const sides = { keyspace: 'read-write', joins: true, fenced: true } as const
  return {
    lock: new SessionLockPort(places, plain),
    fairLock: new SessionLockPort(places, plain),
    fencedLock: new SessionLockPort(places, { ...plain, fenced: true }),
    spinLock: new SessionLockPort(places, { ...plain, joins: false }),
    readWriteLock: {
      read: new SessionLockPort(places, { ...sides, mode: 'read' }),
      write: new SessionLockPort(places, { ...sides, mode: 'write' }),
    },
    semaphore: new SessionSemaphorePort(client, places),
    countDownLatch: new SessionLatchPort(client, places),
    values: new SessionValuesPort(places),
    guardedValues: new RowGuardedPort(client),
    close: () => places.close(),
  }
}
