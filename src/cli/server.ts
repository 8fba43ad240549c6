import type { HoldfastOptions } from '../facade/holdfast-options.js'
import type { RedisClient } from '../redis/connection/client.js'
import { exitCodes } from './exit-codes.js'
import { CliError } from './failure.js'
import { Family } from './family.js'
import { Keyspace } from './keyspace.js'
import type { ServerAddress } from './server-address.js'

/** How long the end of the program waits for requests on their way to the server. */
const CLOSE_MS = 3_000

/** The server of this run, its `Holdfast`, and its key space. */
export class Server implements AsyncDisposable {
  private constructor(
    readonly family: Family,
    readonly keyspace: Keyspace,
    private readonly pattern: RedisClient,
  ) {}

  /** Connects on first use. */
  static async at(address: ServerAddress, keyPrefix: string, options: HoldfastOptions = {}): Promise<Server> {
    const pattern = await clientOf(address, keyPrefix)
    // Holdfast only duplicates this client; its commands report every failure of its connections.
    pattern.on('error', () => undefined)
    return new Server(new Family(pattern, options), new Keyspace(pattern, keyPrefix), pattern)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.keyspace[Symbol.dispose]()
    let patience: NodeJS.Timeout | undefined
    const enough = new Promise<void>((resolve) => {
      patience = setTimeout(resolve, CLOSE_MS)
    })
    await Promise.race([this.family.close(), enough])
    clearTimeout(patience)
    this.pattern.disconnect()
  }
}

async function clientOf(address: ServerAddress, keyPrefix: string): Promise<RedisClient> {
  const { Cluster, Redis } = await clientLibrary()
  const { endpoints, username, password, db, tls } = address
  const common = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
  }
  const settings = { lazyConnect: true, keyPrefix }
  if (address.kind === 'cluster') {
    return new Cluster([...endpoints], { ...settings, redisOptions: common })
  }
  if (address.kind === 'standalone') {
    const [{ host, port }] = endpoints
    return new Redis({ ...settings, ...common, host, port, db })
  }
  const { sentinelUsername, sentinelPassword } = address
  return new Redis({
    ...settings,
    ...common,
    db,
    sentinels: [...endpoints],
    name: address.group ?? '',
    ...(tls ? { enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
    ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
  })
}

/** A peer dependency of the library, so it may be missing. */
async function clientLibrary(): Promise<Pick<typeof import('ioredis'), 'Cluster' | 'Redis'>> {
  try {
    return await import('ioredis')
  } catch (cause) {
    throw new CliError(
      exitCodes.unavailable,
      'NO_CLIENT',
      'The package ioredis could not be loaded. Install it beside holdfast: npm install ioredis',
      { cause },
    )
  }
}
