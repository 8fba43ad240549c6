import type { Store, StoreSession, StoreSettings } from '../../port/store.js'
import type { StoreTraits } from '../../port/store-traits.js'
import { ServerLockPort } from './lock-port.js'
import { Places } from './places.js'
import type { ServerLocks } from './server-locks.js'

/** Locks that a server keeps for connections: one connection for each held or awaited lock. */
export function serverLockStore(
  locksFor: (settings: StoreSettings) => ServerLocks,
  traits: Partial<StoreTraits>,
): Store {
  return {
    traits,
    open(settings: StoreSettings): StoreSession {
      const locks = locksFor(settings)
      const places = new Places(locks, settings)
      return { lock: new ServerLockPort(places, locks), close: async () => places.close() }
    },
  }
}

/** The traits of these locks: no server tells more of them. */
export const serverLockTraits: Partial<StoreTraits> = {
  push: false,
  fifo: false,
  countsVisible: false,
  countsWaiters: false,
  lists: false,
  namesHolder: false,
  tellsSince: false,
  lingers: false,
  detaches: false,
  kinds: ['lock'],
}
