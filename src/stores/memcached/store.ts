import type { Store, StoreSession, StoreSettings } from '../../port/store.js'
import type { StoreTraits } from '../../port/store-traits.js'
import { Server } from './client/server.js'
import { Items } from './items.js'
import { MemcachedLockPort } from './lock-port.js'
import { checkMemcachedOptions, type MemcachedOptions } from './options.js'

/**
 * Locks in memcached (tested with 1.6.18), for `new Holdfast(memcached({ servers: ['cache-1:11211'] }))`: `lock`, `multiLock` and
 * `stripedLock`; anything else is an `UnsupportedKindError`. For efficiency only, to avoid doing work twice: memcached may evict a lock
 * when its memory is full, forgets all of them when it restarts, and a changed list of servers moves them; the holder learns of that with
 * its next renewal, and there are no fencing tokens. A call that waits asks again, after 5 ms at first and after 200 ms at most. If a
 * holder's process dies, its lock is free three seconds after the end of the lease at the latest. See docs/memcached.md.
 *
 * @throws InvalidArgumentError for bad options. Connects on first use.
 */
export function memcached(options: MemcachedOptions): Store {
  const { addresses, access } = checkMemcachedOptions(options)
  return {
    traits: memcachedTraits,
    open(settings: StoreSettings): StoreSession {
      const servers = addresses.map((address) => new Server(address, access, settings))
      const items = new Items(servers, settings)
      return { lock: new MemcachedLockPort(items, settings), close: async () => items.close() }
    },
  }
}

export const memcachedTraits: Partial<StoreTraits> = {
  tellsSince: false,
  push: false,
  fifo: false,
  countsVisible: false,
  countsWaiters: false,
  lists: false,
  lingers: false,
  kinds: ['lock'],
}
