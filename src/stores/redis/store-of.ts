import { InvalidArgumentError } from '../../base/errors/errors.js'
import type { Store } from '../../port/store.js'
import { isClient, type RedisClient } from './connection/client.js'

/**
 * The store that the application passed, or the one for its Redis client.
 *
 * @param hint says what to write instead of any other value
 */
export function storeOf(
  clientOrStore: RedisClient | Store | undefined,
  storeFor: (client: RedisClient) => Store,
  hint: (given: unknown) => string = () => '',
): Store {
  if (typeof clientOrStore === 'object' && clientOrStore !== null) {
    if (isClient(clientOrStore)) return storeFor(clientOrStore)
    if ('open' in clientOrStore && typeof clientOrStore.open === 'function') return clientOrStore
  }
  throw new InvalidArgumentError(
    'clientOrStore',
    clientOrStore,
    `a client of ioredis or iovalkey (Redis or Cluster), or a store such as MemoryStore${hint(clientOrStore)}`,
  )
}
