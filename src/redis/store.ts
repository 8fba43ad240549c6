import { InvalidArgumentError } from '../errors.js'
import type { LockPort, Store, StoreSession, StoreSettings } from '../store.js'
import { isClient, isCluster, type RedisClient } from './client.js'
import { ClusterLink } from './cluster-link.js'
import type { Link, LinkListener } from './link.js'
import { ReentrantLockPort } from './reentrant-lock.js'
import { ReleaseChannels } from './release-channel.js'
import { SpinLockPort } from './spin-lock.js'
import { StandaloneLink } from './standalone-link.js'
import { ThreadRenewals } from './watchdog-thread/thread-renewals.js'
import { ThreadedLockPort } from './watchdog-thread/threaded-lock-port.js'

/** Locks in Redis or Valkey: one server, a Sentinel group or a Cluster, whichever the client is connected to. */
export class RedisStore implements Store {
  constructor(private readonly client: RedisClient) {}

  open(settings: StoreSettings): StoreSession {
    return new RedisSession(this.client, settings)
  }
}

/** One client's dealings with Redis: two connections at most for each server, and a port for each kind of lock that is used. */
class RedisSession implements StoreSession {
  readonly lock: ReentrantLockPort
  readonly #link: Link
  readonly #channels: ReleaseChannels
  readonly #renewals: ThreadRenewals | undefined
  readonly #keyPrefix: string
  #spinLock: LockPort | undefined

  constructor(
    client: RedisClient,
    private readonly settings: StoreSettings,
  ) {
    const { schedule, commandTimeoutMs, onError, thread } = settings
    // First, because it may refuse the client's options.
    this.#renewals = thread && new ThreadRenewals(client, { ...thread, commandTimeoutMs }, schedule, onError)
    this.#channels = new ReleaseChannels(() => this.#link, schedule)
    const listener: LinkListener = {
      message: (channel, text) => this.#channels.announce(channel, text),
      resumed: (channels) => {
        for (const channel of channels) this.#channels.announce(channel)
      },
      error: onError,
    }
    this.#link = isCluster(client)
      ? new ClusterLink(client, schedule, commandTimeoutMs, listener)
      : new StandaloneLink(client, schedule, commandTimeoutMs, listener)
    this.#keyPrefix = client.options.keyPrefix ?? ''
    this.lock = this.#renewals
      ? new ThreadedLockPort(this.#renewals, this.#link, this.#channels, this.#keyPrefix, onError)
      : new ReentrantLockPort(this.#link, this.#channels, this.#keyPrefix, onError)
  }

  get spinLock(): LockPort {
    const { onError } = this.settings
    this.#spinLock ??= new SpinLockPort(this.#link, this.#channels, this.#keyPrefix, onError)
    return this.#spinLock
  }

  async close(): Promise<void> {
    this.#channels.close()
    await Promise.all([this.#link.close(), this.#renewals?.close()])
  }
}

/** The store a `Holdfast` was given: a client stands for the store it is connected to. */
export function storeOf(clientOrStore: RedisClient | Store): Store {
  if (typeof clientOrStore === 'object' && clientOrStore !== null) {
    if (isClient(clientOrStore)) return new RedisStore(clientOrStore)
    if ('open' in clientOrStore && typeof clientOrStore.open === 'function') return clientOrStore
  }
  throw new InvalidArgumentError(
    'clientOrStore',
    clientOrStore,
    'an ioredis Redis or Cluster, or a store such as MemoryStore',
  )
}
