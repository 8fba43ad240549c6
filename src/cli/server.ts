import { notInstalled } from '../base/packages/installed.js'
import type { HoldfastOptions } from '../client/holdfast-options.js'
import { traitsOf } from '../port/store-traits.js'
import { redisClientAt } from '../stores/url/redis-client.js'
import type { RedisAddress, ServerAddress } from '../stores/url/server-address.js'
import { storeOf } from '../stores/url/store-at.js'
import type { Catalogue } from './catalogue.js'
import { Family } from './family.js'
import { RedisCatalogue } from './redis/catalogue.js'
import { Keyspace } from './redis/keyspace.js'
import { StoreCatalogue } from './store-catalogue.js'

/** How long the end of the program waits for requests on their way to the server. */
const CLOSE_MS = 3_000

/** The same, if the program ends because the server has not answered: one such wait is enough. */
const CLOSE_SILENT_MS = 250

/** The server of this run, its `Holdfast`, and the locks that it has. */
export class Server implements AsyncDisposable {
  /** Whether the program ends because the server has not answered. */
  silent = false

  private constructor(
    readonly family: Family,
    readonly catalogue: Catalogue,
    /** Its name in messages, without credentials. */
    readonly shown: string,
    private readonly letGo: () => void,
  ) {}

  /** Connects on first use. Without options it only looks. */
  static async at(address: ServerAddress, keyPrefix: string, options?: HoldfastOptions): Promise<Server> {
    if ('endpoints' in address) return await Server.#redis(address, keyPrefix, options)
    const store = storeOf(address, keyPrefix, { connections: 1, looks: options === undefined })
    const family = new Family(store, options)
    const catalogue = new StoreCatalogue(family, family.session, traitsOf(store.traits))
    return new Server(family, catalogue, address.shown, () => undefined)
  }

  static async #redis(address: RedisAddress, keyPrefix: string, options?: HoldfastOptions): Promise<Server> {
    const library = await import('ioredis').catch((cause: unknown) => {
      throw notInstalled('ioredis could not be loaded: npm install ioredis', cause)
    })
    const pattern = redisClientAt(address, keyPrefix, library)
    // Holdfast only duplicates this client; its commands report every failure of its connections.
    pattern.on('error', () => undefined)
    const family = new Family(pattern, options)
    const keyspace = new Keyspace(pattern, keyPrefix)
    return new Server(family, new RedisCatalogue(family, keyspace), address.shown, () => {
      keyspace[Symbol.dispose]()
      pattern.disconnect()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    let patience: NodeJS.Timeout | undefined
    const enough = new Promise<void>((resolve) => {
      patience = setTimeout(resolve, this.silent ? CLOSE_SILENT_MS : CLOSE_MS)
    })
    await Promise.race([this.family.close(), enough])
    clearTimeout(patience)
    this.letGo()
  }
}
