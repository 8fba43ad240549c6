import { LockUpgradeError } from '../errors/upgrade-error.js'
import type { Owner } from '../identity/owner.js'
import type { FencedPort, TenureState } from '../ports/fenced-port.js'
import type { ReadWritePorts } from '../ports/kind-ports.js'
import type {
  AcquireReply,
  AcquireRequest,
  LockState,
  News,
  ReleaseReply,
  ReleaseRequest,
  RenewRequest,
  Watch,
} from '../ports/lock-port.js'
import { matchesGlob } from '../rows/glob.js'
import { modeOf } from '../rows/place.js'
import { type LineSettings, MemoryPlaces } from './places.js'
import type { Member, MemoryHold, MemoryReadWriteLocks, Side } from './read-write-locks.js'

/** The two sides of the read-write locks of one client. */
export interface MemoryReadWritePorts extends ReadWritePorts {
  close(): void
}

export function memoryReadWritePorts(
  locks: MemoryReadWriteLocks,
  settings: LineSettings,
): MemoryReadWritePorts {
  const read = new MemoryReadWritePort('r', locks, settings)
  const write = new MemoryReadWritePort('w', locks, settings)
  return {
    read,
    write,
    close: () => {
      read.line.close()
      write.line.close()
    },
  }
}

/** One side of the read-write lock in memory: what the scripts `lua/rw-*.lua` do. */
class MemoryReadWritePort implements FencedPort {
  readonly watchesInOrder = true
  readonly line: MemoryPlaces<Member>

  constructor(
    private readonly side: Side,
    private readonly locks: MemoryReadWriteLocks,
    settings: LineSettings,
  ) {
    this.line = new MemoryPlaces(locks.lines, side, settings)
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    return this.#passingOn(request.name, () => this.#acquire(request))
  }

  async readTenure(name: string, owner: Owner): Promise<TenureState> {
    const hold = this.#hold(name, owner)
    return { held: hold !== undefined, lastFence: hold?.fence ?? this.locks.fences.last(name) }
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    this.locks.lines.at(name)?.leave(this.#member(owner))
    await this.release({ name, owner, heldBefore: heldBefore + 1, repeated: true })
  }

  /** Processes never hand over a lock that several owners may hold. */
  async handOver(): Promise<AcquireReply> {
    return { outcome: 'lost' }
  }

  async release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    return this.#passingOn(name, () => {
      const hold = this.#hold(name, owner)
      const after = heldBefore - 1
      if (!hold) return repeated && after === 0 ? 'released' : 'not-owner'
      if (after === 0) {
        this.locks.drop(name, [this.#member(owner)])
        return 'released'
      }
      hold.count = Math.min(hold.count, after)
      return 'still-held'
    })
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return requests.map(async ({ name, owner, leaseMs }) => {
      const hold = this.#hold(name, owner)
      if (hold) hold.endsAt = Math.max(hold.endsAt, this.locks.clock.now() + leaseMs)
      return hold !== undefined
    })
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.line.watch(name, onNews)
  }

  async inspect(name: string): Promise<LockState> {
    const mine = this.#mine(name).map(([, hold]) => hold)
    const endsAt = Math.max(...mine.map((hold) => hold.endsAt))
    return {
      name,
      owners: mine.map(({ owner, count }) => ({ owner, holds: count })),
      remainingMs: mine.length > 0 ? endsAt - this.locks.clock.now() : 0,
    }
  }

  /** Processes in line, for whatever they wait. */
  async countWatchers(name: string): Promise<number> {
    return this.locks.lines.at(name)?.processes ?? 0
  }

  async forceUnlock(name: string): Promise<boolean> {
    const members = this.#mine(name).map(([member]) => member)
    return this.#passingOn(name, () => this.locks.drop(name, members))
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    for (const name of this.locks.names()) {
      const state = matchesGlob(pattern, name) ? await this.inspect(name) : undefined
      if (state && state.owners.length > 0) yield state
    }
  }

  #acquire(request: AcquireRequest): AcquireReply {
    const { locks } = this
    const { name, owner, heldBefore, leaseMs, waits } = request
    const member = this.#member(owner)
    const line = locks.lines.at(name)
    const until = locks.clock.now() + leaseMs
    const held = this.#hold(name, owner)
    if (held) {
      // The first hold has exactly its own lease, unlike a grant in line. A nested one never shortens the time left.
      const first = heldBefore === 0 && held.count === 1
      held.endsAt = first ? until : Math.max(held.endsAt, until)
      held.count = Math.max(held.count, heldBefore + 1)
      line?.settled(owner)
      return { outcome: 'granted', fence: held.fence }
    }
    if (heldBefore > 0) return { outcome: 'lost' }
    const { holds } = locks.find(name)
    if (this.side === 'w' && holds.has(`r:${owner}`)) {
      line?.leave(member)
      throw new LockUpgradeError(name, owner)
    }
    const downgrades = this.side === 'r' && holds.has(`w:${owner}`)
    const next = line?.advance(member) ?? true
    if (downgrades || (next && locks.find(name).admits(member))) {
      const { fence } = locks.grant(name, member, leaseMs)
      line?.leave(member)
      return { outcome: 'granted', fence }
    }
    const { writer, holds: inTheWay } = locks.find(name)
    const [anyone] = inTheWay.values()
    const remainingMs = locks.obstacleMs(name, line?.head ?? member)
    const busy = { outcome: 'busy', remainingMs, holder: (writer ?? anyone)?.owner } as const
    return waits ? this.line.stand(member, request, busy) : busy
  }

  #mine(name: string): readonly (readonly [Member, MemoryHold])[] {
    return [...this.locks.find(name).holds].filter(([member]) => modeOf(member) === this.side)
  }

  #hold(name: string, owner: Owner): MemoryHold | undefined {
    return this.locks.find(name).holds.get(this.#member(owner))
  }

  /** Moves the line on as far as the change lets it; even a refused request may have changed something. */
  #passingOn<Result>(name: string, change: () => Result): Result {
    try {
      return change()
    } finally {
      this.locks.passOn(name)
    }
  }

  #member(owner: Owner): Member {
    return `${this.side}:${owner}`
  }
}
