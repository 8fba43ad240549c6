export type { Clock, Timer } from '../../base/time/clock.js'
export type { Store } from '../../port/store.js'
export type { EtcdOptions } from './options.js'
export { etcd } from './store.js'
