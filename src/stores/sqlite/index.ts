export type { Clock, Timer } from '../../base/time/clock.js'
export type { Store } from '../../port/store.js'
export type { SqliteOptions } from './options.js'
/** @internal `sqliteToLookAt`: the command line's way to it. */
export { sqlite, sqliteToLookAt } from './store.js'
