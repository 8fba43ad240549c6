export type { Store } from '../ports/store.js'
export type { Clock, Timer } from '../time/clock.js'
export { storeAt } from './store-at.js'
