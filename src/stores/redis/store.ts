import { InvalidArgumentError } from '../../base/errors/errors.js'
import type { Store, StoreSession, StoreSettings } from '../../port/store.js'
import { isClient, type RedisClient } from './connection/client.js'
import { clientHint } from './connection/client-hint.js'
import { RedisSession } from './session.js'
import { storeOf } from './store-of.js'

/** Locks of every kind in Redis or Valkey: one server, a Sentinel group or a Cluster, whichever the client is connected to. */
export class RedisStore implements Store {
  /** @internal */
  constructor(private readonly client: RedisClient) {}

  open(settings: StoreSettings): StoreSession {
    return new RedisSession(this.client, settings)
  }
}

/**
 * The store that `new Holdfast(client)` makes of a client, for code that takes any store.
 *
 * @param client an ioredis (or iovalkey) `Redis` or `Cluster`. Holdfast opens connections of its own like it, and never closes it.
 * @throws `InvalidArgumentError` if it is no such client.
 */
export function redis(client: RedisClient): RedisStore {
  if (!isClient(client))
    throw new InvalidArgumentError(
      'client',
      client,
      `a client of ioredis or iovalkey (Redis or Cluster)${clientHint(client)}`,
    )
  return new RedisStore(client)
}

/** A Redis client stands for the store that it connects to. */
export function redisStoreOf(clientOrStore: RedisClient | Store | undefined): Store {
  return storeOf(clientOrStore, (client) => new RedisStore(client), hintFor)
}

function hintFor(given: unknown): string {
  if (given !== undefined) return clientHint(given)
  return (
    '; with no argument at all locks are on the server that HOLDFAST_URL names, or in a file of this user; ' +
    "with options import { storeAt } from 'holdfast/url' and write new Holdfast(storeAt(), options)"
  )
}
