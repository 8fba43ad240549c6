import type { Store, StoreSession, StoreSettings } from '../../port/store.js'
import type { RedisClient } from './connection/client.js'
import { LockSession } from './lock-session.js'

/** The plain lock in Redis or Valkey, and nothing of the other kinds: see `RedisStore`. */
export class RedisLockStore implements Store {
  constructor(private readonly client: RedisClient) {}

  open(settings: StoreSettings): StoreSession {
    return new LockSession(this.client, settings)
  }
}
