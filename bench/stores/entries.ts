import { entryOf } from '../catalog.js'
import type { Entry } from '../entry.js'
import { storeCatalog } from './catalog.js'

/** All that take part on the stores. */
export const storeEntries: readonly Entry[] = [...storeCatalog, entryOf('timers')]
