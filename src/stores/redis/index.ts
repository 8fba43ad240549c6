export { type RedisStore, redis } from './store.js'
