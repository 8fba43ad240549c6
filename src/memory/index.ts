export type { Clock, Timer } from '../time/clock.js'
export { VirtualClock } from '../time/virtual-clock.js'
export { MemoryStore } from './store.js'
