import type { Store } from '../../port/store.js'
import { checkSqliteOptions } from './options.js'
import { storeOf } from './store.js'

/** As `sqlite`, for programs that only look: they make no file. One that is missing has no locks until another program makes it. */
export function sqliteToLookAt(path: string): Store {
  return storeOf({ ...checkSqliteOptions(path), looks: true })
}
