import { offers, required } from '../base/packages/installed.js'
import type { Store } from '../port/store.js'

/** Where locks are when nobody says it: as `storeAt()` has it. Loaded when it is used: no bundle has it, nor any store that it may name. */
export function defaultStore(): Store {
  const todo =
    'this program was bundled without it. Install holdfast beside the bundle, or give new Holdfast() a store: ' +
    "import { sqlite } from 'holdfast/sqlite' and write new Holdfast(sqlite())"
  return required('holdfast/url', offers<typeof import('../stores/url/index.js')>('storeAt'), todo).storeAt()
}
