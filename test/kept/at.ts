import type { RedisClient, Store } from '../../src/index.js'
import type { Route } from '../chaos/order.js'
import { storeAt } from '../chaos/route.js'
import { type Rows, storeOf } from '../rows/store-of.js'

/** Where the lock is, as another process can be told. */
export type At = Route | Rows

export function openAt(at: At): { store: RedisClient | Store; disconnect(): void } {
  return 'to' in at ? storeAt(at) : { store: storeOf(at), disconnect: () => undefined }
}
