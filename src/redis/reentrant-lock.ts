import type { TogetherPort } from '../kind-ports.js'
import { isOwner } from '../owner.js'
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
import type { Announcement, Link, NodeLink } from './link.js'
import { MultiAcquire } from './multi-acquire.js'
import { type ReleaseChannels, releaseChannelOf } from './release-channel.js'
import { renewal } from './renewal.js'
import { scanKeys } from './scan.js'
import { runScript } from './script.js'
import { acquire, forceUnlock, handOver, inspect, release, renew } from './scripts.generated.js'
import { HOLDERS_OF_PERMITS } from './semaphore-keys.js'

/** The reentrant lock as Redisson's `RLock` keeps it: a hash of owner -> hold count, whose time to live is the lease. */
export class ReentrantLockPort implements LockPort {
  readonly fenced = false
  readonly together: TogetherPort

  constructor(
    private readonly link: Link,
    private readonly channels: ReleaseChannels,
    private readonly keyPrefix: string,
    private readonly onError: (error: unknown) => void,
    /** How a release is announced; empty where it is not. */
    private readonly publishCommand: Link['publishCommand'] | '' = link.publishCommand,
  ) {
    this.together = new MultiAcquire(link, keyPrefix, () => this.starting())
  }

  get watchesInOrder(): boolean {
    return this.link.subscribesInOrder
  }

  acquire({ name, owner, heldBefore, leaseMs }: AcquireRequest): Promise<AcquireReply> {
    return runScript(this.link, acquire, this.#key(name), name, [owner, heldBefore, leaseMs], acquireReply)
  }

  /** What is to be waited for before anything is acquired. */
  protected starting(): Promise<unknown> | undefined {
    return undefined
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    await this.#release(name, owner, heldBefore + 1, () => undefined)
  }

  handOver({ name, from, owner, leaseMs }: HandOverRequest): Promise<AcquireReply> {
    const key = this.#key(name)
    const args = [from, owner, leaseMs, releaseChannelOf(key), this.publishCommand]
    return runScript(this.link, handOver, key, name, args, handOverReply, this.#announcing(name))
  }

  release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const breaks = this.link.breaks
    return this.#release(name, owner, heldBefore, (reply) => {
      if (reply === 0) return 'still-held'
      if (reply > 0) return releasedTo(reply - 1 - this.#ownSubscriptions(name))
      // A last release that may have been delivered before finds nothing left to release: it was carried out then.
      return heldBefore === 1 && (repeated || this.link.breaks !== breaks) ? 'released' : 'not-owner'
    })
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return this.link.together(() =>
      requests.map(({ name, owner, leaseMs, withinMs }) =>
        renewal(this.link, renew, this.#key(name), name, [owner, leaseMs], withinMs),
      ),
    )
  }

  watch(name: string, onNews: () => void): Watch {
    return this.channels.watch(releaseChannelOf(this.#key(name)), onNews)
  }

  async inspect(name: string): Promise<LockState> {
    const [left, ...fields] = await runScript(this.link, inspect, this.#key(name), name, [], list)
    const owners: Array<LockState['owners'][number]> = []
    for (let index = 0; index < fields.length; index += 2) {
      const owner = fields[index]
      const holds = Number(fields[index + 1])
      if (typeof owner === 'string' && isOwner(owner) && Number.isInteger(holds))
        owners.push({ owner, holds })
    }
    return { name, owners, remainingMs: timeLeft(left) }
  }

  async countWatchers(name: string): Promise<number> {
    const channel = releaseChannelOf(this.#key(name))
    const node = await this.link.nodeOf(channel)
    const { countCommand } = this.link
    const reply = await node.send(
      { command: `PUBSUB ${countCommand}`, lockName: name },
      'PUBSUB',
      countCommand,
      channel,
    )
    return Array.isArray(reply) ? Number(reply[1]) : 0
  }

  async forceUnlock(name: string): Promise<boolean> {
    const key = this.#key(name)
    const channel = releaseChannelOf(key)
    const args = [channel, this.publishCommand]
    const reply = await runScript(this.link, forceUnlock, key, name, args, Number, this.#announcing(name))
    if (reply === 2) await this.#announce(name, channel)
    return reply > 0
  }

  async *list(pattern: string): AsyncIterable<LockState> {
    for (const node of await this.link.nodes()) yield* this.#listNode(node, pattern)
  }

  async *#listNode(node: NodeLink, pattern: string): AsyncIterable<LockState> {
    for await (const key of scanKeys(node, this.keyPrefix, pattern)) {
      // A semaphore's table of holders has the shape of a lock, and is none.
      if (key.startsWith(`${HOLDERS_OF_PERMITS}:`)) continue
      const state = await this.inspect(key.slice(this.keyPrefix.length))
      if (state.owners.length > 0) yield state
    }
  }

  /** `read` is given what the script returns; where that could not announce the release, what it would have. */
  #release<Result>(
    name: string,
    owner: string,
    heldBefore: number,
    read: (reply: number) => Result,
  ): Promise<Result> {
    const key = this.#key(name)
    const channel = releaseChannelOf(key)
    const args = [owner, heldBefore, channel, this.publishCommand]
    const readCode = (reply: unknown): Result | Promise<Result> => {
      const code = Number(reply)
      return code === -2 ? this.#announce(name, channel).then((told) => read(told + 1)) : read(code)
    }
    return runScript(this.link, release, key, name, args, readCode, this.#announcing(name))
  }

  /**
   * The script has freed the lock but could not tell. In a cluster that is so for names whose braces put the channel on another
   * node: then it is told from here, and how many heard it is returned. If that fails too, waiters find out when the lease they
   * saw has ended.
   */
  async #announce(name: string, channel: string): Promise<number> {
    const { publishCommand } = this.link
    try {
      const about = { command: publishCommand, lockName: name }
      return Number(await this.link.send(channel, about, publishCommand, channel, '0'))
    } catch (error) {
      this.onError(error)
      return 0
    }
  }

  #announcing(name: string): { readonly announces?: Announcement } {
    if (this.publishCommand === '') return {}
    return { announces: { channel: releaseChannelOf(this.#key(name)), text: '0' } }
  }

  #ownSubscriptions(name: string): number {
    return this.channels.subscribed(releaseChannelOf(this.#key(name))) ? 1 : 0
  }

  /** Everything is derived from this one name, so that prefix and hash tags agree everywhere. */
  #key(name: string): string {
    return this.keyPrefix + name
  }
}

const GRANTED: AcquireReply = { outcome: 'granted' }
const LOST: AcquireReply = { outcome: 'lost' }

function acquireReply(reply: unknown): AcquireReply {
  if (reply === 1) return GRANTED
  if (!Array.isArray(reply)) return LOST
  const [left, holder]: unknown[] = reply
  return {
    outcome: 'busy',
    remainingMs: timeLeft(left),
    holder: typeof holder === 'string' && isOwner(holder) ? holder : undefined,
  }
}

function releasedTo(others: number): ReleaseReply {
  return others > 0 ? { others } : 'released'
}

function handOverReply(reply: unknown): AcquireReply {
  return reply === 1 ? GRANTED : LOST
}

function list(reply: unknown): unknown[] {
  return Array.isArray(reply) ? reply : []
}

/** Redis's PTTL: -2 there is no such key, -1 it has no end. */
function timeLeft(reply: unknown): number {
  const left = Number(reply)
  if (left === -1) return Number.POSITIVE_INFINITY
  return Math.max(left, 0)
}
