import type { Clock } from '../core/clock.js'
import type { Owner } from '../owner.js'

/** One lock as the store has it. */
export class MemoryLock {
  readonly holds = new Map<Owner, number>()
  constructor(public expiresAt: number) {}
}

/** What a server would keep: the locks by name, each with the time its lease ends, and who listens for releases. */
export class MemoryLocks {
  readonly #locks = new Map<string, MemoryLock>()
  readonly #listeners = new Map<string, Set<() => void>>()

  constructor(readonly clock: Clock) {}

  /** The lock, if its lease has not ended. */
  find(name: string): MemoryLock | undefined {
    const lock = this.#locks.get(name)
    if (!lock || lock.expiresAt > this.clock.now()) return lock
    this.#locks.delete(name)
    return undefined
  }

  create(name: string, leaseMs: number): MemoryLock {
    const lock = new MemoryLock(this.clock.now() + leaseMs)
    this.#locks.set(name, lock)
    return lock
  }

  /** Frees the lock and announces it. Returns how many listeners are told. */
  free(name: string): number {
    this.remove(name)
    return this.announce(name)
  }

  /** Frees the lock without telling anybody. */
  remove(name: string): void {
    this.#locks.delete(name)
  }

  /** Listeners are called once what runs now is done, as a message would arrive. Returns how many there are. */
  announce(name: string): number {
    const listeners = this.#listeners.get(name) ?? []
    let told = 0
    for (const listener of listeners) {
      told += 1
      queueMicrotask(() => this.#tell(name, listener))
    }
    return told
  }

  listen(name: string, listener: () => void): void {
    const listeners = this.#listeners.get(name)
    if (listeners) listeners.add(listener)
    else this.#listeners.set(name, new Set([listener]))
  }

  ignore(name: string, listener: () => void): void {
    const listeners = this.#listeners.get(name)
    listeners?.delete(listener)
    if (listeners?.size === 0) this.#listeners.delete(name)
  }

  countListeners(name: string): number {
    return this.#listeners.get(name)?.size ?? 0
  }

  names(): string[] {
    return [...this.#locks.keys()].filter((name) => this.find(name))
  }

  #tell(name: string, listener: () => void): void {
    if (this.#listeners.get(name)?.has(listener)) listener()
  }
}
