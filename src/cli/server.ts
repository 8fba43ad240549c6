import type { HoldfastOptions } from '../facade/holdfast-options.js'
import { traitsOf } from '../ports/store-traits.js'
import type { Catalogue } from './catalogue.js'
import { coordinationAt } from './coordination.js'
import { databaseAt, type OpenStore } from './database.js'
import { usageError } from './failure.js'
import { Family } from './family.js'
import { RedisCatalogue } from './redis/catalogue.js'
import { clientOf } from './redis/client.js'
import { Keyspace } from './redis/keyspace.js'
import type { RedisAddress, ServerAddress } from './server-address.js'
import { StoreCatalogue } from './store-catalogue.js'

/** How long the end of the program waits for requests on their way to the server. */
const CLOSE_MS = 3_000

/** The server of this run, its `Holdfast`, and the locks that it has. */
export class Server implements AsyncDisposable {
  private constructor(
    readonly family: Family,
    readonly catalogue: Catalogue,
    /** Its name in messages, without credentials. */
    readonly shown: string,
    private readonly letGo: () => void,
  ) {}

  /** Connects on first use. */
  static async at(address: ServerAddress, keyPrefix: string, options: HoldfastOptions = {}): Promise<Server> {
    const { shown } = address
    if ('url' in address) return await Server.#ofStore(() => databaseAt(address), shown, keyPrefix, options)
    if ('servers' in address)
      return await Server.#ofStore(() => coordinationAt(address), shown, keyPrefix, options)
    return await Server.#redis(address, keyPrefix, options)
  }

  static async #redis(address: RedisAddress, keyPrefix: string, options: HoldfastOptions): Promise<Server> {
    const pattern = await clientOf(address, keyPrefix)
    // Holdfast only duplicates this client; its commands report every failure of its connections.
    pattern.on('error', () => undefined)
    const family = new Family(pattern, options)
    const keyspace = new Keyspace(pattern, keyPrefix)
    return new Server(family, new RedisCatalogue(family, keyspace), address.shown, () => {
      keyspace[Symbol.dispose]()
      pattern.disconnect()
    })
  }

  static async #ofStore(
    open: () => Promise<OpenStore>,
    shown: string,
    keyPrefix: string,
    options: HoldfastOptions,
  ): Promise<Server> {
    if (keyPrefix !== '') throw usageError('--key-prefix is for Redis: the names of other locks have none.')
    const { store, close } = await open()
    const family = new Family(store, options)
    return new Server(
      family,
      new StoreCatalogue(family, family.session, traitsOf(store.traits)),
      shown,
      close,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    let patience: NodeJS.Timeout | undefined
    const enough = new Promise<void>((resolve) => {
      patience = setTimeout(resolve, CLOSE_MS)
    })
    await Promise.race([this.family.close(), enough])
    clearTimeout(patience)
    this.letGo()
  }
}
