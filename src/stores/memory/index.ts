export type { Clock, Timer } from '../../base/time/clock.js'
export { VirtualClock } from '../../base/time/virtual-clock.js'
export { MemoryStore } from './store.js'
