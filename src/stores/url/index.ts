export type { Clock, Timer } from '../../base/time/clock.js'
export type { Store } from '../../port/store.js'
export { storeAt } from './store-at.js'
