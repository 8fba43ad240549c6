import { setTimeout } from 'node:timers/promises'
import type { RedisClient } from '../../src/index.js'

/**
 * Data that nothing protects but the lock around its use: a counter in Redis that is read, left for a moment and written. Two
 * sections at once lose an update, and are seen by the count of those inside, which is kept in Redis too.
 */
export class UnguardedCounter {
  readonly #key: string

  constructor(
    private readonly client: RedisClient,
    name: string,
  ) {
    this.#key = `unguarded:${name}`
  }

  /** What a critical section does. */
  async section(): Promise<void> {
    const inside = Number(await this.client.call('HINCRBY', this.#key, 'inside', 1))
    if (inside > 1) await this.client.call('HINCRBY', this.#key, 'overlaps', 1)
    const value = Number(await this.client.call('HGET', this.#key, 'value'))
    await setTimeout(Math.random() * 2)
    await this.client.call('HSET', this.#key, 'value', value + 1)
    await this.client.call('HINCRBY', this.#key, 'inside', -1)
  }

  /** How many sections have left their mark, and how often one met another inside. */
  async read(): Promise<{ value: number; overlaps: number }> {
    const value = Number(await this.client.call('HGET', this.#key, 'value'))
    const overlaps = Number(await this.client.call('HGET', this.#key, 'overlaps'))
    return { value, overlaps }
  }
}
