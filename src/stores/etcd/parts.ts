import type { StoreSettings } from '../../port/store.js'
import type { EtcdClient } from './client/client.js'
import type { Watches } from './client/watches.js'
import type { Leases } from './leases.js'
import type { EntryNames } from './names.js'
import type { OwnEntries } from './own-entries.js'

/** One client's link to etcd, as its parts use each other. */
export interface EtcdParts {
  readonly client: EtcdClient
  readonly watches: Watches
  readonly leases: Leases
  readonly names: EntryNames
  readonly own: OwnEntries
  readonly settings: StoreSettings
}
