import { StoreError } from '../../base/errors/errors.js'
import { isCluster, type RedisClient, type StandaloneClient } from '../../stores/redis/connection/client.js'
import { failureOf, refusesDatabase } from '../../stores/redis/connection/failure.js'

/** The longest time for an answer, or to connect. */
const PATIENCE_MS = 3_000

type Argument = string | number

/** Sends one command; every one is answered or rejected in time, with a `StoreError`. */
export type Ask = (command: string, ...args: Argument[]) => Promise<unknown>

/**
 * Reads the keys that docs/wire-layout.md describes, over a connection that it opens on first use, and again after it broke. Never
 * writes.
 */
export class Keyspace implements Disposable {
  readonly inCluster: boolean
  #opening: Promise<RedisClient> | undefined
  #client: RedisClient | undefined

  constructor(
    private readonly pattern: RedisClient,
    /** The prefix of each lock's name. */
    readonly prefix: string,
  ) {
    this.inCluster = isCluster(pattern)
  }

  /** The key of the lock of that name. */
  keyOf(name: string): string {
    return this.prefix + name
  }

  readonly ask: Ask = async (command, ...args) =>
    await this.#inTime(command, async () => (await this.#opened()).call(command, ...args))

  /** Returns undefined if the user may not ask. */
  async askIfAllowed(command: string, ...args: Argument[]): Promise<unknown> {
    return await this.unlessForbidden(() => this.ask(command, ...args))
  }

  /** The answer; undefined if the user may not ask. */
  async unlessForbidden(question: () => Promise<unknown>): Promise<unknown> {
    try {
      return await question()
    } catch (error) {
      if (error instanceof StoreError && error.reason === 'permission') return undefined
      throw error
    }
  }

  /** One for each node that has keys. */
  async nodes(): Promise<readonly Ask[]> {
    const client = await this.#inTime('CONNECT', () => this.#opened())
    const nodes: readonly (StandaloneClient | RedisClient)[] = isCluster(client)
      ? client.nodes('master')
      : [client]
    return nodes.map(
      (node): Ask =>
        async (command, ...args) =>
          await this.#inTime(command, () => node.call(command, ...args)),
    )
  }

  [Symbol.dispose](): void {
    this.#client?.disconnect()
    this.#client = undefined
    this.#opening = undefined
  }

  async #inTime<Reply>(command: string, start: () => Promise<Reply>): Promise<Reply> {
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(timeoutOf(command)), PATIENCE_MS)
    })
    try {
      return await Promise.race([start(), tooLate])
    } catch (error) {
      const failure = failureOf(error, { command })
      // Whatever the problem with this connection, the next command uses another one.
      if (failure.transient) this[Symbol.dispose]()
      throw failure
    } finally {
      clearTimeout(timer)
    }
  }

  #opened(): Promise<RedisClient> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  async #open(): Promise<RedisClient> {
    const client = duplicate(this.pattern)
    let refusal: unknown
    // Its commands report every other failure of the connection.
    client.on('error', (error) => {
      if (refusesDatabase(error)) refusal = error
    })
    this.#client = client
    await client.connect()
    if (refusal) throw refusal
    return client
  }
}

function duplicate(pattern: RedisClient): RedisClient {
  const connection = {
    lazyConnect: true,
    keyPrefix: '',
    connectTimeout: PATIENCE_MS,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectionName: 'holdfast-cli',
  }
  if (!isCluster(pattern)) return pattern.duplicate(connection)
  const { redisOptions } = pattern.options
  return pattern.duplicate([], {
    lazyConnect: true,
    keyPrefix: '',
    clusterRetryStrategy: () => null,
    redisOptions: { ...redisOptions, ...connection },
  })
}

function timeoutOf(command: string): StoreError {
  return new StoreError('timeout', command, {
    transient: true,
    hint: `The server did not answer within ${PATIENCE_MS} ms.`,
  })
}
