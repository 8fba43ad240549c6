import type { Owner } from '../identity/owner.js'
import type { FencedPort, TenureState } from '../ports/fenced-port.js'
import type { AcquireReply, AcquireRequest, News, Watch } from '../ports/lock-port.js'
import type { MemoryLocks, Mode } from './locks.js'
import { type LineSettings, MemoryPlaces } from './places.js'
import { MemoryReentrantLockPort } from './reentrant-lock.js'

/** The lock with its line: a release grants the lock to the next process in line and tells only that one. */
export class MemoryLineLockPort extends MemoryReentrantLockPort {
  readonly line: MemoryPlaces<`${Mode}:${Owner}`>

  constructor(locks: MemoryLocks, settings: LineSettings, mode: Mode = 'x') {
    super(locks, mode)
    this.line = new MemoryPlaces(locks.lines, mode, settings)
  }

  override async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const reply = this.ask(request)
    const waits = request.waits && reply.outcome === 'busy'
    return waits ? this.line.stand(this.place(request.owner), request, reply) : reply
  }

  override watch(name: string, onNews: (news?: News) => void): Watch {
    return this.line.watch(name, onNews)
  }

  override close(): void {
    this.line.close()
  }
}

/** The fenced lock in memory: the same lock, with a token for each tenure. */
export class MemoryFencedLockPort extends MemoryLineLockPort implements FencedPort {
  /** @param retentionMs how long a counter is kept after its last token; 0: for ever. */
  constructor(locks: MemoryLocks, settings: LineSettings, retentionMs = 0) {
    super(locks, settings, `f${retentionMs}`)
  }

  async readTenure(name: string, owner: Owner): Promise<TenureState> {
    const held = this.locks.find(name)?.holds.has(owner) === true
    return { held, lastFence: this.locks.fences.last(name) }
  }
}
