export type { Clock, Timer } from '../../base/time/clock.js'
export type { Store } from '../../port/store.js'
/** @internal The command line's way to it. */
export { sqliteToLookAt } from './looking.js'
export type { SqliteOptions } from './options.js'
export { sqlite } from './store.js'
