import type { FencedPort, TenureState } from '../fence/fenced-port.js'
import { isOwner, type Owner } from '../owner.js'
import { PassingPort } from '../passing-port.js'
import type { AcquireReply, AcquireRequest, HandOverRequest } from '../store.js'
import { redissonCompanionOf } from './companion-key.js'
import type { Link } from './link.js'
import type { ReentrantLockPort } from './reentrant-lock.js'
import { releaseChannelOf } from './release-channel.js'
import { runScript } from './script.js'
import { fencedAcquire, fencedTenure } from './scripts.generated.js'
import { fenceIn, tenureReply } from './tenure-reply.js'
import type { ThreadRenewals } from './watchdog-thread/thread-renewals.js'

/**
 * Where the tokens of that lock are counted: Redisson's name for it. In a cluster that is no use for names whose braces are no
 * hash tag, since it is of another slot than the lock; Redisson cannot lock those.
 */
export function tokenCounterOf(key: string, inCluster: boolean): string {
  if (inCluster) return redissonCompanionOf('redisson_lock_token', key)
  return key.includes('{') ? `redisson_lock_token:${key}` : `redisson_lock_token:{${key}}`
}

/**
 * The fenced lock as Redisson's `RFencedLock` keeps it: the reentrant lock's hash, so that the two exclude each other, and a
 * counter beside it. What does not mint a token is the reentrant lock's business.
 */
export class FencedLockPort extends PassingPort implements FencedPort {
  override readonly fenced = true
  readonly #retentionMs: number

  /**
   * @param retentionMs how long a counter is kept after its last token; undefined: for ever. With a retention tokens are taken
   *   from the server's clock, so that those minted after the counter has gone are greater all the same.
   */
  constructor(
    plain: ReentrantLockPort,
    private readonly link: Link,
    private readonly keyPrefix: string,
    retentionMs?: number,
    readonly thread?: ThreadRenewals | undefined,
  ) {
    super(plain)
    this.#retentionMs = retentionMs ?? 0
  }

  override async acquire(request: AcquireRequest): Promise<AcquireReply> {
    // It runs before the first grant: a block of the event loop may come right after that.
    const starting = this.thread?.start()
    if (starting) await starting
    return await this.#acquire(request, '')
  }

  override handOver(request: HandOverRequest): Promise<AcquireReply> {
    return this.#acquire({ ...request, heldBefore: 0 }, request.from)
  }

  readTenure(name: string, owner: Owner): Promise<TenureState> {
    return runScript(this.link, fencedTenure, this.#keys(name), name, [owner], tenureReply)
  }

  #acquire({ name, owner, heldBefore, leaseMs }: AcquireRequest, from: string): Promise<AcquireReply> {
    const keys = this.#keys(name)
    const { publishCommand } = this.link
    const channel = releaseChannelOf(keys[0])
    const args = [owner, heldBefore, leaseMs, this.#retentionMs, from, channel, publishCommand]
    // Only a hand-over has anything to announce.
    const terms = from === '' ? {} : { announces: { channel, text: '0' } }
    return runScript(this.link, fencedAcquire, keys, name, args, acquireReply, terms)
  }

  #keys(name: string): [string, string] {
    const key = this.keyPrefix + name
    return [key, tokenCounterOf(key, this.link.publishCommand === 'SPUBLISH')]
  }
}

function acquireReply(reply: unknown): AcquireReply {
  if (typeof reply === 'string') {
    const fence = fenceIn(reply)
    return fence === undefined ? { outcome: 'granted' } : { outcome: 'granted', fence }
  }
  if (!Array.isArray(reply)) return { outcome: 'lost' }
  const [left, holder]: unknown[] = reply
  return {
    outcome: 'busy',
    // Redis's PTTL: -1 it has no end.
    remainingMs: left === -1 ? Number.POSITIVE_INFINITY : Math.max(Number(left), 0),
    holder: typeof holder === 'string' && isOwner(holder) ? holder : undefined,
  }
}
