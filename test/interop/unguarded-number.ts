import type { RedisClient } from '../../src/index.js'

/** A number in Redis that nothing guards but the lock around its use, on this side and (see the peer) on Redisson's. */
export class UnguardedNumber {
  constructor(
    private readonly client: RedisClient,
    readonly key: string,
  ) {}

  async set(value: number): Promise<void> {
    await this.client.call('SET', this.key, value)
  }

  async read(): Promise<number> {
    return Number(await this.client.call('GET', this.key))
  }

  /** Read, then written: two at once lose an update. */
  async increase(): Promise<void> {
    await this.set((await this.read()) + 1)
  }

  /** Counts who is inside; tells how many that are with these. */
  async enter(count: number): Promise<number> {
    return Number(await this.client.call('INCRBY', this.key, count))
  }

  async leave(count: number): Promise<void> {
    await this.client.call('DECRBY', this.key, count)
  }
}
