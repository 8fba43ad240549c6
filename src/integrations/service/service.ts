import { whole } from '../../base/checks/checks.js'
import { InvalidArgumentError } from '../../base/errors/errors.js'
import { defaultStore } from '../../client/default-store.js'
import type { HoldfastOptions } from '../../client/holdfast-options.js'
import { Holdfast } from '../../holdfast.js'
import type { Store } from '../../port/store.js'
import type { RedisClient } from '../../stores/redis/connection/client.js'

/** The settings of a `Holdfast` that a framework opens and closes with the application. Times are whole milliseconds. */
export interface ServiceOptions extends HoldfastOptions {
  /**
   * The store of the locks, or a Redis client, whose options Holdfast copies for its own connections. Create a client of ioredis with
   * `lazyConnect: true` if only Holdfast uses it: otherwise it opens a connection that nobody closes.
   * @default as for `new Holdfast()`: what `HOLDFAST_URL` names, or a file of this user
   */
  readonly store?: RedisClient | Store
  /**
   * How long running sections may continue when the application closes: see `CloseOptions`. Minimum: 0.
   * @default 5000
   */
  readonly drainMs?: number
}

/** The framework's log for failures that no call reports. */
export interface ServiceLog {
  warn(text: string): void
  error(error: unknown): void
}

/** Refuses what are no settings. Their values count when the application starts. */
export function checkSettings(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new InvalidArgumentError('options', options, 'an object, as in { store: redis }')
}

/** A client that lives as long as its application. */
export class Service {
  readonly holdfast: Holdfast
  readonly #drainMs: number

  constructor(options: ServiceOptions, log: ServiceLog) {
    checkSettings(options)
    const { store, drainMs, ...settings } = options
    this.#drainMs = whole('drainMs', drainMs, 0) ?? 5_000
    // An option `store` without a value is a mistake: the default file must not replace it.
    if (store === undefined && 'store' in options)
      throw new InvalidArgumentError(
        'store',
        store,
        'a client or a store; without this option locks are on the server that HOLDFAST_URL names, or in a file of this user',
      )
    this.holdfast = new Holdfast(store ?? defaultStore(), settings)
    this.holdfast.on('error', (error) => log.error(error))
    this.holdfast.on('lost', ({ name, owner, reason }) =>
      log.warn(`lock ${JSON.stringify(name)} was lost by ${owner}: ${reason}`),
    )
    this.holdfast.on('warning', ({ message }) => log.warn(message))
  }

  async close(): Promise<void> {
    await this.holdfast.close({ drainMs: this.#drainMs })
  }
}
