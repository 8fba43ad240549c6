import type { FencedPort, TenureState } from '../fence/fenced-port.js'
import type { Owner } from '../owner.js'
import { PassingPort } from '../passing-port.js'
import type { AcquireReply, AcquireRequest, HandOverRequest } from '../store.js'
import type { FenceCounters } from './fence-counters.js'
import type { MemoryLocks } from './locks.js'
import type { MemoryLockPort } from './port.js'

/** The fenced lock in memory: the reentrant lock, and a token for each tenure. */
export class MemoryFencedLockPort extends PassingPort implements FencedPort {
  override readonly fenced = true

  /** @param retentionMs how long a counter is kept after its last token. */
  constructor(
    plain: MemoryLockPort,
    private readonly locks: MemoryLocks,
    private readonly counters: FenceCounters,
    private readonly retentionMs = Number.POSITIVE_INFINITY,
  ) {
    super(plain)
  }

  override acquire(request: AcquireRequest): Promise<AcquireReply> {
    return this.#granted(request, () => super.acquire(request))
  }

  override handOver(request: HandOverRequest): Promise<AcquireReply> {
    return this.#granted(request, () => super.handOver(request))
  }

  async readTenure(name: string, owner: Owner): Promise<TenureState> {
    return { held: this.#holds(name, owner), lastFence: this.counters.last(name) }
  }

  /** The token is minted in the same step as the grant is made: the port in memory has done its work when it returns. */
  async #granted(
    { name, owner, heldBefore }: AcquireRequest,
    grant: () => Promise<AcquireReply>,
  ): Promise<AcquireReply> {
    const heldAlready = this.#holds(name, owner)
    const replying = grant()
    const fence = this.#holds(name, owner) ? this.#fence(name, heldAlready, heldBefore) : undefined
    const reply = await replying
    return reply.outcome === 'granted' && fence !== undefined ? { ...reply, fence } : reply
  }

  #fence(name: string, heldAlready: boolean, heldBefore: number): bigint | undefined {
    const last = heldAlready ? this.counters.last(name) : undefined
    return last ?? (heldAlready && heldBefore > 0 ? undefined : this.counters.mint(name, this.retentionMs))
  }

  #holds(name: string, owner: Owner): boolean {
    return this.locks.find(name)?.holds.has(owner) ?? false
  }
}
