import type { Owner } from '../owner.js'
import type {
  AcquireReply,
  AcquireRequest,
  HandOverRequest,
  LineState,
  LockPort,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  StoreLine,
  Watch,
} from '../store.js'
import type { MemoryFairLines } from './fair-lines.js'
import { MemoryLockPort } from './port.js'
import { Standing } from './standing.js'

export interface MemoryFairLockSettings {
  /** The first half of all owners of this client. */
  readonly clientId: string
  /** How long its places in line last without being kept up. */
  readonly waiterLeaseMs: number
}

/** The fair lock in memory: what the scripts `lua/fair-*.lua` do. */
export class MemoryFairLockPort implements LockPort, StoreLine {
  readonly watchesInOrder = true
  readonly fenced = false
  readonly line: StoreLine = this
  readonly waiterLeaseMs: number
  readonly #clientId: string
  /** The same locks without their line. */
  readonly #plain: MemoryLockPort
  readonly #watches = new Set<Watch>()
  readonly #standing = new Standing<Owner>()

  constructor(
    private readonly lines: MemoryFairLines,
    { clientId, waiterLeaseMs }: MemoryFairLockSettings,
  ) {
    this.#plain = new MemoryLockPort(lines.locks)
    this.#clientId = clientId
    this.waiterLeaseMs = waiterLeaseMs
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const { name, owner, heldBefore, leaseMs } = request
    const { locks } = this.lines
    const lock = locks.find(name)
    const held = lock?.holds.get(owner) ?? 0
    if (held === 0 && heldBefore > 0) return { outcome: 'lost' }
    if (lock && held === 0) return this.#busy(request)
    if (!lock) {
      const head = this.lines.head(name, owner)
      if (head && head !== owner) {
        this.lines.grantNext(name)
        return this.#busy(request)
      }
    }
    const mine = lock ?? locks.create(name, leaseMs)
    mine.holds.set(owner, Math.max(held, heldBefore + 1))
    const until = locks.clock.now() + leaseMs
    // The first hold has exactly its lease: what was granted in line had another. A nested one never shortens the time left.
    mine.expiresAt = heldBefore === 0 ? until : Math.max(mine.expiresAt, until)
    this.#leave(name, owner)
    return { outcome: 'granted' }
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    if (heldBefore === 0) this.#leave(name, owner)
    await this.release({ name, owner, heldBefore: heldBefore + 1, repeated: true })
    this.lines.grantNext(name)
  }

  async release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const { locks } = this.lines
    const lock = locks.find(name)
    const held = lock?.holds.get(owner) ?? 0
    const after = heldBefore - 1
    if (!lock || held === 0) return repeated && after === 0 ? 'released' : 'not-owner'
    if (after > 0) {
      lock.holds.set(owner, Math.min(held, after))
      return 'still-held'
    }
    locks.remove(name)
    this.#leave(name, owner)
    if (!this.lines.grantNext(name)) locks.announce(name)
    return 'released'
  }

  async keepUp(name: string): Promise<LineState> {
    const standing = this.#standing.in(name)
    this.lines.keepUp(name, standing, this.waiterLeaseMs)
    this.lines.grantNext(name)
    const gone = standing.some((owner) => !this.lines.has(name, owner))
    const { remainingMs } = await this.inspect(name)
    return { remainingMs, askAgain: gone }
  }

  /** Hears of grants to this client, and of releases of those who keep no line. */
  watch(name: string, onNews: (news?: News) => void): Watch {
    const all = this.#plain.watch(name, () => onNews())
    const onGrant = (grantedTo: Owner): void => onNews({ grantedTo })
    this.lines.listen(name, this.#clientId, onGrant)
    const watch: Watch = {
      confirmed: all.confirmed,
      close: () => {
        this.#watches.delete(watch)
        this.lines.ignore(name, this.#clientId, onGrant)
        all.close()
      },
    }
    this.#watches.add(watch)
    return watch
  }

  /** Announced to all, because who held it is to hear of it too. */
  async forceUnlock(name: string): Promise<boolean> {
    const { locks } = this.lines
    if (!locks.find(name)) return false
    locks.remove(name)
    this.lines.grantNext(name)
    locks.announce(name)
    return true
  }

  handOver(request: HandOverRequest): Promise<AcquireReply> {
    return this.#plain.handOver(request)
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return this.#plain.renew(requests)
  }

  inspect(name: string): Promise<LockState> {
    return this.#plain.inspect(name)
  }

  countWatchers(name: string): Promise<number> {
    return this.#plain.countWatchers(name)
  }

  list(pattern: string): AsyncIterable<LockState> {
    return this.#plain.list(pattern)
  }

  close(): void {
    for (const watch of [...this.#watches]) watch.close()
  }

  #leave(name: string, owner: Owner): void {
    this.lines.leave(name, owner)
    this.#standing.leave(name, owner)
  }

  #busy({ name, owner, waits }: AcquireRequest): AcquireReply {
    if (waits) {
      this.lines.join(name, owner, this.waiterLeaseMs)
      this.#standing.join(name, owner)
    }
    const lock = this.lines.locks.find(name)
    const [holder] = lock?.holds.keys() ?? []
    const remainingMs = lock ? lock.expiresAt - this.lines.locks.clock.now() : 0
    return { outcome: 'busy', remainingMs, holder }
  }
}
