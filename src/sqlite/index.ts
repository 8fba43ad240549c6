export type { Store } from '../ports/store.js'
export type { Clock, Timer } from '../time/clock.js'
export type { SqliteOptions } from './options.js'
export { sqlite } from './store.js'
