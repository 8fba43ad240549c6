import type { Store, StoreSession, StoreSettings } from '../../port/store.js'
import type { StoreTraits } from '../../port/store-traits.js'
import { SessionStoreSession, sessionTraits } from '../session/session.js'
import { EtcdLink } from './link.js'
import { checkEtcdOptions, type EtcdOptions, type EtcdSettings } from './options.js'

/**
 * Locks in etcd, 3.4 or later, for `new Holdfast(etcd({ hosts }))`. A client has one session there, a lease of etcd's; what it holds and
 * waits for are keys that belong to it and stand in line by their revisions. Go's `concurrency.Mutex` and `etcdctl lock` stand in the same
 * line: see `prefix`, and docs/etcd.md.
 *
 * @throws InvalidArgumentError for bad options.
 */
export function etcd(options: EtcdOptions): Store {
  return new EtcdStore(checkEtcdOptions(options))
}

class EtcdStore implements Store {
  readonly portVersion = 1
  readonly traits: Partial<StoreTraits> = sessionTraits

  constructor(private readonly settings: EtcdSettings) {}

  open(settings: StoreSettings): StoreSession {
    const { address, prefix } = this.settings
    return new SessionStoreSession((listener) => new EtcdLink(address, prefix, settings, listener), settings)
  }
}
