import { InvalidArgumentError } from '../errors/errors.js'
import type { Store, StoreSession, StoreSettings } from '../ports/store.js'
import { isClient, type RedisClient } from './connection/client.js'
import { RedisSession } from './session.js'

/** Locks in Redis or Valkey: one server, a Sentinel group or a Cluster, whichever the client is connected to. */
export class RedisStore implements Store {
  constructor(private readonly client: RedisClient) {}

  open(settings: StoreSettings): StoreSession {
    return new RedisSession(this.client, settings)
  }
}

/** The store of a `Holdfast`: a client stands for the store that it is connected to. */
export function storeOf(clientOrStore: RedisClient | Store): Store {
  if (typeof clientOrStore === 'object' && clientOrStore !== null) {
    if (isClient(clientOrStore)) return new RedisStore(clientOrStore)
    if ('open' in clientOrStore && typeof clientOrStore.open === 'function') return clientOrStore
  }
  throw new InvalidArgumentError(
    'clientOrStore',
    clientOrStore,
    'a client of ioredis or iovalkey (Redis or Cluster), or a store such as MemoryStore',
  )
}
