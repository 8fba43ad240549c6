import type { Family } from '../family.js'
import type { Keyspace } from './keyspace.js'

/** The locks of a Redis, by their own methods and by their keys. */
export interface RedisLocks {
  readonly family: Family
  readonly keyspace: Keyspace
}
