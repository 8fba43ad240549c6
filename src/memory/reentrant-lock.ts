import type { Owner } from '../identity/owner.js'
import type {
  AcquireReply,
  AcquireRequest,
  BatchPort,
  BusyReply,
  GrantedReply,
  HandOverRequest,
  LockPort,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  Watch,
} from '../ports/lock-port.js'
import { matchesGlob } from '../rows/glob.js'
import { clientOf, type Place } from '../rows/place.js'
import { MemoryWatches } from './announcements.js'
import { channelOf } from './lines.js'
import type { MemoryLock, MemoryLocks, Mode } from './locks.js'
import { MemoryMultiAcquire } from './multi-acquire.js'

/**
 * The reentrant lock in memory: what the scripts in `lua/` do. Its waiters stand in no line: they try when a release is announced.
 */
export class MemoryReentrantLockPort implements LockPort {
  readonly watchesInOrder = true
  readonly together: BatchPort | undefined
  readonly #watches: MemoryWatches

  constructor(
    protected readonly locks: MemoryLocks,
    protected readonly mode: Mode = 'x',
  ) {
    // Locks that are taken together have no tokens.
    this.together = mode === 'x' ? new MemoryMultiAcquire(locks) : undefined
    this.#watches = new MemoryWatches(locks.releases)
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    return this.ask(request)
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    const line = this.locks.lines.at(name)
    if (heldBefore === 0) line?.leave(this.place(owner))
    await this.release({ name, owner, heldBefore: heldBefore + 1, repeated: true })
    // The place behind it may be the next now.
    if (!this.locks.find(name)) line?.advance()
  }

  async handOver({ name, from, owner, leaseMs }: HandOverRequest): Promise<AcquireReply> {
    const { locks } = this
    const lock = locks.find(name)
    if (lock?.holds.has(owner)) return granted(this.#lastFence(name))
    if (!lock?.holds.delete(from)) return { outcome: 'lost' }
    const fence = locks.mint(name, this.place(owner))
    lock.holds.set(owner, 1)
    locks.lines.at(name)?.settled(from)
    if (locks.endAt(name, lock, locks.clock.now() + leaseMs)) locks.releases.announce(name)
    return granted(fence)
  }

  async release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const { locks } = this
    const lock = locks.find(name)
    const held = lock?.holds.get(owner) ?? 0
    const after = heldBefore - 1
    if (!lock || held === 0) return repeated && after === 0 ? 'released' : 'not-owner'
    if (after > 0) {
      lock.holds.set(owner, Math.min(held, after))
      return 'still-held'
    }
    locks.free(name)
    const told = locks.find(name) ? 0 : locks.releases.announce(name)
    const others = told - this.#watches.count(name)
    return others > 0 ? { others } : 'released'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(async ({ name, owner, leaseMs }) => {
      const lock = this.locks.find(name)
      if (!lock?.holds.has(owner)) return false
      lock.expiresAt = Math.max(lock.expiresAt, this.locks.clock.now() + leaseMs)
      return true
    })
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.#watches.watch(name, () => onNews())
  }

  async inspect(name: string): Promise<LockState> {
    const owners = [...(this.locks.find(name)?.holds ?? [])].map(([owner, holds]) => ({ owner, holds }))
    return { name, owners, remainingMs: this.locks.remainingMs(name) }
  }

  /** How many processes wait: those in line, and those that listen outside it. */
  async countWatchers(name: string): Promise<number> {
    return this.locks.releases.count(name) + (this.locks.lines.at(name)?.processes ?? 0)
  }

  /** Announces it in any case, so that the former holder learns of it too. */
  async forceUnlock(name: string): Promise<boolean> {
    const { locks } = this
    const holders = [...(locks.find(name)?.holds.keys() ?? [])]
    const freed = locks.free(name)
    // Its waiters look whether it still has the lock.
    for (const owner of holders)
      locks.lines.channels.announce(channelOf(name, clientOf(owner)), { lookInMs: 0 })
    if (freed) locks.releases.announce(name)
    return freed
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    for (const name of this.locks.names()) {
      if (matchesGlob(pattern, name)) yield await this.inspect(name)
    }
  }

  close(): void {
    this.#watches.close()
  }

  protected place(owner: Owner): Place<Mode> {
    return `${this.mode}:${owner}`
  }

  /** As `lua/acquire.lua` for a call that does not wait. */
  protected ask({ name, owner, heldBefore, leaseMs, lingers }: AcquireRequest): AcquireReply {
    const { locks } = this
    const lock = locks.find(name)
    if (lock?.holds.has(owner)) return this.#askAgain(lock, { name, owner, heldBefore, leaseMs })
    if (heldBefore > 0) return { outcome: 'lost' }
    if (lock) return this.#busy(name)
    const place = this.place(owner)
    const line = locks.lines.at(name)
    line?.advance(place)
    if (locks.find(name)) return this.#busy(name)
    const fence = locks.grant(name, place, leaseMs)
    line?.leave(place)
    if (!lingers || line) return granted(fence)
    locks.mayLinger(name, owner)
    return { ...granted(fence), lingers }
  }

  /** The owner has it: for one more hold, by a repeated request, or by a grant in line. */
  #askAgain(lock: MemoryLock, { name, owner, heldBefore, leaseMs }: AcquireRequest): AcquireReply {
    const { locks } = this
    const held = lock.holds.get(owner) ?? 0
    const last = this.#lastFence(name)
    const fence = last ?? (heldBefore === 0 ? locks.mint(name, this.place(owner)) : undefined)
    const endsAt = locks.clock.now() + leaseMs
    // The first hold has exactly its own lease, unlike a grant in line. A nested one never shortens the time left (rule L2).
    const first = heldBefore === 0 && held === 1
    locks.endAt(name, lock, first ? endsAt : Math.max(lock.expiresAt, endsAt))
    lock.holds.set(owner, Math.max(held, heldBefore + 1))
    locks.lines.at(name)?.settled(owner)
    return granted(fence)
  }

  #busy(name: string): BusyReply {
    const [holder] = this.locks.find(name)?.holds.keys() ?? []
    const lingers = this.locks.ask(name)
    return { outcome: 'busy', remainingMs: this.locks.remainingMs(name), holder, ...(lingers && { lingers }) }
  }

  #lastFence(name: string): bigint | undefined {
    return this.mode !== 'x' ? this.locks.fences.last(name) : undefined
  }
}

function granted(fence: bigint | undefined): GrantedReply {
  return fence === undefined ? { outcome: 'granted' } : { outcome: 'granted', fence }
}
