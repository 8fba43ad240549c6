import { PORT_VERSION, type Store, type StoreSession, type StoreSettings } from '../../port/store.js'
import { sessionOn, sessionTraits } from '../session/session.js'
import { EtcdLink } from './link.js'
import { checkEtcdOptions, type EtcdOptions } from './options.js'

/**
 * Locks in etcd, 3.4 or later, for `new Holdfast(etcd({ hosts }))`. A client has one session there, a lease of etcd's; what it holds and
 * waits for are keys that belong to it and stand in line by their revisions. Go's `concurrency.Mutex` and `etcdctl lock` stand in the same
 * line: see `prefix`, and docs/etcd.md.
 *
 * @throws InvalidArgumentError for bad options.
 */
export function etcd(options: EtcdOptions): Store {
  const { address, prefix } = checkEtcdOptions(options)
  return {
    portVersion: PORT_VERSION,
    traits: sessionTraits,
    open: (settings: StoreSettings): StoreSession =>
      sessionOn((listener) => new EtcdLink(address, prefix, settings, listener), settings),
  }
}
