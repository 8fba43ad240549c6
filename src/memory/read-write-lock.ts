import type { FencedPort, TenureState } from '../fence/fenced-port.js'
import type { ReadWritePorts } from '../kind-ports.js'
import type { Owner } from '../owner.js'
import type {
  AcquireReply,
  AcquireRequest,
  LineState,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  StoreLine,
  Watch,
} from '../store.js'
import { LockUpgradeError } from '../upgrade-error.js'
import { matchesGlob } from './glob.js'
import {
  clientOf,
  type Member,
  type MemoryReadWriteLock,
  type MemoryReadWriteLocks,
  ownerOf,
  type Side,
  sideOf,
} from './read-write-locks.js'
import { Standing } from './standing.js'

export interface MemoryReadWriteSettings {
  /** The first half of all owners of this client. */
  readonly clientId: string
  /** How long its places in line last without being kept up. */
  readonly waiterLeaseMs: number
}

/** The two sides of the read-write locks of one client. */
export interface MemoryReadWritePorts extends ReadWritePorts {
  close(): void
}

export function memoryReadWritePorts(
  locks: MemoryReadWriteLocks,
  settings: MemoryReadWriteSettings,
): MemoryReadWritePorts {
  const read = new MemoryReadWritePort('r', locks, settings)
  const write = new MemoryReadWritePort('w', locks, settings)
  return {
    read,
    write,
    close: () => {
      read.close()
      write.close()
    },
  }
}

/** One side of the read-write lock in memory: what the scripts `lua/rw-*.lua` do. */
class MemoryReadWritePort implements FencedPort, StoreLine {
  readonly watchesInOrder = true
  readonly fenced = true
  readonly shared: boolean
  readonly line: StoreLine = this
  readonly waiterLeaseMs: number
  readonly #clientId: string
  readonly #watches = new Set<Watch>()
  readonly #standing = new Standing<Member>()

  constructor(
    private readonly side: Side,
    private readonly locks: MemoryReadWriteLocks,
    { clientId, waiterLeaseMs }: MemoryReadWriteSettings,
  ) {
    this.shared = side === 'r'
    this.#clientId = clientId
    this.waiterLeaseMs = waiterLeaseMs
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    return this.#changing(request.name, (lock) => this.#acquire(lock, request))
  }

  async readTenure(name: string, owner: Owner): Promise<TenureState> {
    const lock = this.locks.open(name)
    const hold = lock.holds.get(this.#member(owner))
    this.locks.tidy(name, lock)
    return { held: hold !== undefined, lastFence: hold?.fence ?? this.locks.lastFence(name) }
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    this.#changing(name, (lock) => {
      this.#leave(name, lock, this.#member(owner))
      this.#release(lock, owner, heldBefore)
    })
  }

  /** What the store keeps a line for is never handed over by a process. */
  async handOver(): Promise<AcquireReply> {
    return { outcome: 'lost' }
  }

  async release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const reply = this.#changing(name, (lock) => this.#release(lock, owner, heldBefore - 1))
    return reply === 'not-owner' && repeated && heldBefore === 1 ? 'released' : reply
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(async ({ name, owner, leaseMs }) => {
      const lock = this.locks.open(name)
      const hold = lock.holds.get(this.#member(owner))
      if (hold) hold.endsAt = Math.max(hold.endsAt, this.locks.clock.now() + leaseMs)
      this.locks.tidy(name, lock)
      return hold !== undefined
    })
  }

  async keepUp(name: string): Promise<LineState> {
    const lock = this.locks.open(name)
    const standing = this.#standing.in(name)
    for (const member of standing)
      if (lock.line.has(member)) this.locks.join(lock, member, this.waiterLeaseMs)
    this.locks.advance(name, lock, this.waiterLeaseMs)
    const remainingMs = this.locks.obstacleMs(lock)
    const gone = standing.some((member) => !lock.line.has(member))
    this.locks.tidy(name, lock)
    return { remainingMs, askAgain: gone }
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    const listener = (member: Member): void => {
      if (sideOf(member) === this.side) onNews({ grantedTo: ownerOf(member) })
    }
    this.locks.listen(name, this.#clientId, listener)
    const watch: Watch = {
      confirmed: Promise.resolve(),
      close: () => {
        this.#watches.delete(watch)
        this.locks.ignore(name, this.#clientId, listener)
      },
    }
    this.#watches.add(watch)
    return watch
  }

  async inspect(name: string): Promise<LockState> {
    const lock = this.locks.open(name)
    const now = this.locks.clock.now()
    const mine = [...lock.holds.values()].filter(({ side }) => side === this.side)
    this.locks.tidy(name, lock)
    return {
      name,
      owners: mine.map(({ owner, count }) => ({ owner, holds: count })),
      remainingMs: Math.max(0, ...mine.map(({ endsAt }) => endsAt - now)),
    }
  }

  /** Clients in line, for whatever they wait. */
  async countWatchers(name: string): Promise<number> {
    const lock = this.locks.open(name)
    const clients = new Set([...lock.line].map(clientOf))
    this.locks.tidy(name, lock)
    return clients.size
  }

  async forceUnlock(name: string): Promise<boolean> {
    return this.#changing(name, (lock) => {
      const mine = [...lock.holds].filter(([, { side }]) => side === this.side)
      for (const [member] of mine) lock.holds.delete(member)
      return mine.length > 0
    })
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    for (const name of this.locks.names()) {
      if (!matchesGlob(pattern, name)) continue
      const state = await this.inspect(name)
      if (state.owners.length > 0) yield state
    }
  }

  close(): void {
    for (const watch of [...this.#watches]) watch.close()
  }

  #acquire(lock: MemoryReadWriteLock, request: AcquireRequest): AcquireReply {
    const { name, owner, heldBefore, leaseMs, waits } = request
    const member = this.#member(owner)
    const until = this.locks.clock.now() + leaseMs
    const held = lock.holds.get(member)
    if (held) {
      // The first hold has exactly its lease: what was granted in line had another. A nested one never shortens the time left.
      const first = heldBefore === 0 && held.count === 1
      held.endsAt = first ? until : Math.max(held.endsAt, until)
      held.count = Math.max(held.count, heldBefore + 1)
      this.#leave(name, lock, member)
      return { outcome: 'granted', fence: held.fence }
    }
    if (heldBefore > 0) return { outcome: 'lost' }
    if (this.side === 'w' && lock.holds.has(`r:${owner}`)) {
      this.#leave(name, lock, member)
      throw new LockUpgradeError(name, owner)
    }
    this.locks.advance(name, lock, this.waiterLeaseMs, member)
    const downgrades = this.side === 'r' && lock.writer?.owner === owner
    const next = lock.first === undefined || lock.first === member
    if (downgrades || (next && lock.admits(member))) {
      this.#standing.leave(name, member)
      return { outcome: 'granted', fence: this.locks.grant(name, lock, member, leaseMs).fence }
    }
    if (waits) {
      this.locks.join(lock, member, this.waiterLeaseMs)
      this.#standing.join(name, member)
    }
    const [anyone] = lock.holds.values()
    const remainingMs = this.locks.obstacleMs(lock, member)
    return { outcome: 'busy', remainingMs, holder: (lock.writer ?? anyone)?.owner }
  }

  #leave(name: string, lock: MemoryReadWriteLock, member: Member): void {
    lock.leave(member)
    this.#standing.leave(name, member)
  }

  #release(lock: MemoryReadWriteLock, owner: Owner, after: number): ReleaseReply {
    const member = this.#member(owner)
    const held = lock.holds.get(member)
    if (!held) return 'not-owner'
    if (after > 0) {
      held.count = Math.min(held.count, after)
      return 'still-held'
    }
    lock.holds.delete(member)
    return 'released'
  }

  /** Whatever was changed, the line moves on as far as that lets it. */
  #changing<Result>(name: string, change: (lock: MemoryReadWriteLock) => Result): Result {
    const lock = this.locks.open(name)
    try {
      return change(lock)
    } finally {
      this.locks.advance(name, lock, this.waiterLeaseMs)
      this.locks.tidy(name, lock)
    }
  }

  #member(owner: Owner): Member {
    return `${this.side}:${owner}`
  }
}
