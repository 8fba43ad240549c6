export type { Clock, Timer } from '../core/clock.js'
export { MemoryStore } from './store.js'
export { VirtualClock } from './virtual-clock.js'
