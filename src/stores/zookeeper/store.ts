import { PORT_VERSION, type Store, type StoreSession, type StoreSettings } from '../../port/store.js'
import { sessionOn, sessionTraits } from '../session/session.js'
import { ZooKeeperLink } from './link.js'
import { checkZooKeeperOptions, type ZooKeeperOptions } from './options.js'

/**
 * Locks in an ensemble of ZooKeeper, 3.5 or later, for `new Holdfast(zookeeper({ servers: 'zoo1:2181,zoo2:2181' }))`. A plain lock stands
 * in one line with those of Curator. Each `Holdfast` on it has a session of its own, and opens nothing before its first use.
 *
 * @throws InvalidArgumentError for bad options
 */
export function zookeeper(options: ZooKeeperOptions): Store {
  const terms = checkZooKeeperOptions(options)
  return {
    portVersion: PORT_VERSION,
    traits: { ...sessionTraits, endsLeases: false },
    open: (settings: StoreSettings): StoreSession =>
      sessionOn((listener) => new ZooKeeperLink(terms, settings, listener), settings),
  }
}
