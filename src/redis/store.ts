import type { Store, StoreSession, StoreSettings } from '../ports/store.js'
import type { RedisClient } from './connection/client.js'
import { RedisSession } from './session.js'
import { storeOf } from './store-of.js'

/** Locks of every kind in Redis or Valkey: one server, a Sentinel group or a Cluster, whichever the client is connected to. */
export class RedisStore implements Store {
  constructor(private readonly client: RedisClient) {}

  open(settings: StoreSettings): StoreSession {
    return new RedisSession(this.client, settings)
  }
}

/** A client stands for the store it is connected to. */
export function redisStoreOf(clientOrStore: RedisClient | Store): Store {
  return storeOf(clientOrStore, (client) => new RedisStore(client))
}
