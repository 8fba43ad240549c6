import { InvalidArgumentError } from '../errors/errors.js'
import type { Store } from '../ports/store.js'
import { isClient, type RedisClient } from './connection/client.js'
import { clientHint } from './connection/client-hint.js'

/** The store that a client was given: for a client of Redis, the one made for it. */
export function storeOf(
  clientOrStore: RedisClient | Store | undefined,
  storeFor: (client: RedisClient) => Store,
): Store {
  if (typeof clientOrStore === 'object' && clientOrStore !== null) {
    if (isClient(clientOrStore)) return storeFor(clientOrStore)
    if ('open' in clientOrStore && typeof clientOrStore.open === 'function') return clientOrStore
  }
  throw new InvalidArgumentError(
    'clientOrStore',
    clientOrStore,
    `a client of ioredis or iovalkey (Redis or Cluster), or a store such as MemoryStore${hintFor(clientOrStore)}`,
  )
}

function hintFor(value: unknown): string {
  if (value !== undefined) return clientHint(value)
  return '; with no argument at all locks are on the server that HOLDFAST_URL names, or in a file of this user'
}
