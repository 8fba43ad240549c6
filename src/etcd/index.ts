export type { Store } from '../ports/store.js'
export type { Clock, Timer } from '../time/clock.js'
export type { EtcdOptions } from './options.js'
export { etcd } from './store.js'
