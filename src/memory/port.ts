import type { TogetherPort } from '../kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LockPort,
  LockState,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  Watch,
} from '../store.js'
import { matchesGlob } from './glob.js'
import type { MemoryLock, MemoryLocks } from './locks.js'
import { MemoryMultiAcquire } from './multi-acquire.js'

/** The reentrant lock in memory: line for line what the scripts in `lua/` do. */
export class MemoryLockPort implements LockPort {
  readonly watchesInOrder = true
  readonly fenced = false
  readonly together: TogetherPort
  readonly #watches = new Map<Watch, string>()

  constructor(private readonly locks: MemoryLocks) {
    this.together = new MemoryMultiAcquire(locks, this)
  }

  async acquire({ name, owner, heldBefore, leaseMs }: AcquireRequest): Promise<AcquireReply> {
    const lock = this.locks.find(name)
    const held = lock?.holds.get(owner) ?? 0
    if (held === 0 && heldBefore > 0) return { outcome: 'lost' }
    if (lock && held === 0) {
      const [holder] = lock.holds.keys()
      return { outcome: 'busy', remainingMs: lock.expiresAt - this.locks.clock.now(), holder }
    }
    const mine = lock ?? this.locks.create(name, leaseMs)
    mine.holds.set(owner, Math.max(held, heldBefore + 1))
    this.#extend(mine, leaseMs)
    return { outcome: 'granted' }
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    await this.release({ name, owner, heldBefore: heldBefore + 1, repeated: true })
  }

  async handOver({ name, from, owner, leaseMs }: HandOverRequest): Promise<AcquireReply> {
    const lock = this.locks.find(name)
    if (lock?.holds.has(owner)) return { outcome: 'granted' }
    if (!lock?.holds.has(from)) return { outcome: 'lost' }
    lock.holds.delete(from)
    lock.holds.set(owner, 1)
    const endsSooner = this.locks.clock.now() + leaseMs < lock.expiresAt
    lock.expiresAt = this.locks.clock.now() + leaseMs
    if (endsSooner) this.locks.announce(name)
    return { outcome: 'granted' }
  }

  async release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const lock = this.locks.find(name)
    const held = lock?.holds.get(owner) ?? 0
    const after = heldBefore - 1
    if (!lock || held === 0) return repeated && after === 0 ? 'released' : 'not-owner'
    if (after === 0) {
      const others = this.locks.free(name) - this.#watching(name)
      return others > 0 ? { others } : 'released'
    }
    lock.holds.set(owner, Math.min(held, after))
    return 'still-held'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(async ({ name, owner, leaseMs }) => {
      const lock = this.locks.find(name)
      if (!lock?.holds.has(owner)) return false
      this.#extend(lock, leaseMs)
      return true
    })
  }

  watch(name: string, onNews: () => void): Watch {
    const listener = (): void => onNews()
    this.locks.listen(name, listener)
    const watch: Watch = {
      confirmed: Promise.resolve(),
      close: () => {
        this.#watches.delete(watch)
        this.locks.ignore(name, listener)
      },
    }
    this.#watches.set(watch, name)
    return watch
  }

  async inspect(name: string): Promise<LockState> {
    const lock = this.locks.find(name)
    return {
      name,
      owners: [...(lock?.holds ?? [])].map(([owner, holds]) => ({ owner, holds })),
      remainingMs: lock ? lock.expiresAt - this.locks.clock.now() : 0,
    }
  }

  async countWatchers(name: string): Promise<number> {
    return this.locks.countListeners(name)
  }

  async forceUnlock(name: string): Promise<boolean> {
    if (!this.locks.find(name)) return false
    this.locks.free(name)
    return true
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    for (const name of this.locks.names()) {
      if (matchesGlob(pattern, name)) yield await this.inspect(name)
    }
  }

  close(): void {
    for (const watch of [...this.#watches.keys()]) watch.close()
  }

  #watching(name: string): number {
    let count = 0
    for (const watched of this.#watches.values()) if (watched === name) count += 1
    return count
  }

  #extend(lock: MemoryLock, leaseMs: number): void {
    lock.expiresAt = Math.max(lock.expiresAt, this.locks.clock.now() + leaseMs)
  }
}
