export type { Store } from '../ports/store.js'
export type { ZooKeeperOptions } from './options.js'
export { zookeeper } from './store.js'
