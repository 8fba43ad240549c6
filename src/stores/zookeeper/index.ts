export type { Store } from '../../port/store.js'
export type { ZooKeeperOptions } from './options.js'
export { zookeeper } from './store.js'
