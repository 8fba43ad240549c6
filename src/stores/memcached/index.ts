export type { Credentials } from './client/server.js'
export type { MemcachedOptions } from './options.js'
export { memcached } from './store.js'
