import type { Guarded, GuardedPort } from '../ports/guarded-port.js'

interface Stored {
  readonly value: string | undefined
  readonly fence: bigint
}

/** Guarded values in memory. One for each store: all its clients share it. */
export class MemoryGuardedPort implements GuardedPort {
  readonly #values = new Map<string, Stored>()

  async readGuarded(key: string): Promise<Guarded | undefined> {
    const { value, fence } = this.#values.get(key) ?? {}
    return value === undefined || fence === undefined ? undefined : { value, fence }
  }

  async writeGuarded(key: string, fence: bigint, value: string | undefined): Promise<bigint | undefined> {
    const seen = this.#values.get(key)?.fence
    if (seen !== undefined && fence < seen) return seen
    this.#values.set(key, { value, fence })
    return undefined
  }
}
