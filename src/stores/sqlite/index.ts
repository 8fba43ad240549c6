export type { Clock, Timer } from '../../base/time/clock.js'
export type { Store } from '../../port/store.js'
export type { SqliteOptions } from './options.js'
export { sqlite } from './store.js'
