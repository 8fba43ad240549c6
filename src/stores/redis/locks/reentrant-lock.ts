import type {
  AcquireReply,
  AcquireRequest,
  BatchPort,
  HandOverRequest,
  LockPort,
  LockSeen,
  News,
  ReleaseReply,
  ReleaseRequest,
  Renewed,
  RenewRequest,
  Watch,
} from '../../../port/lock-port.js'
import { announce } from '../channels/announcements.js'
import { processChannelsOf } from '../keys/companion-key.js'
import { HOLDERS_OF_PERMITS } from '../keys/semaphore-keys.js'
import type { LockCommands } from '../line/lock-commands.js'
import { lockRenewal, renewEach } from '../renewals/lease-renewals.js'
import { lingers, listIn, ownersIn, timeLeft } from '../scripts/replies.js'
import { scanKeys } from '../scripts/scan.js'
import { runScript } from '../scripts/script.js'
import { inspect } from '../scripts/scripts.generated.js'
import type { ThreadRenewals } from '../watchdog-thread/thread-renewals.js'
import { type LockParts, RedisPort } from './redis-port.js'

const SILENT: Watch = { confirmed: Promise.resolve(), close: () => undefined }

/**
 * The reentrant lock as Redisson's `RLock` keeps it: a hash of owner -> hold count, whose time to live is the lease. Waiters here stand
 * in no line, and listen to nothing: that is the spin lock, for servers and proxies without pub/sub.
 */
export class ReentrantLockPort extends RedisPort implements LockPort {
  /** Absent for fenced locks, which mint tokens one at a time, and for a line of calls, which no call may jump. */
  readonly together: BatchPort | undefined
  readonly thread: ThreadRenewals | undefined

  constructor(
    parts: LockParts,
    protected readonly commands: LockCommands,
  ) {
    super(parts)
    this.thread = parts.renewals
    if (!commands.fenced) this.together = parts.batchOf?.(parts, () => this.starting())
  }

  acquire(request: AcquireRequest): Promise<AcquireReply> {
    return this.starting()?.then(() => this.ask(request)) ?? this.ask(request)
  }

  protected ask(request: AcquireRequest): Promise<AcquireReply> {
    return this.commands.ask(request, 0, '-', (answer) => answer)
  }

  /** Await it before the first acquire: the event loop may block right after the first grant. */
  protected starting(): Promise<unknown> | undefined {
    return this.thread?.start()
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    await this.commands.release(name, owner, heldBefore + 1, true, () => undefined)
  }

  override handOver(request: HandOverRequest): Promise<AcquireReply> {
    return this.commands.handOver(request)
  }

  release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const { breaks } = this.link
    return this.commands.release(name, owner, heldBefore, false, (reply) => {
      if (reply === 0) return 'still-held'
      if (reply > 0) return this.released(name, reply - 1)
      return heldBefore === 1 ? this.foundNone(repeated, breaks) : 'not-owner'
    })
  }

  /** @param told how many listeners got the announcement. */
  protected released(name: string, told: number): ReleaseReply {
    const { channels } = this.parts
    const listens = told > 0 && channels.subscribed(this.commands.releaseChannel(name))
    const others = listens ? told - 1 : told
    return others > 0 ? { others } : 'released'
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<Renewed>[] {
    const { renewing, keyPrefix } = this.parts
    return renewEach(renewing, requests, (request) => lockRenewal(keyPrefix, request))
  }

  watch(_name: string, _onNews: (news?: News) => void): Watch {
    return SILENT
  }

  async inspect(name: string, asks = false): Promise<LockSeen> {
    const { link } = this
    const { clientId } = this.parts
    const seen = await runScript(link, inspect, this.key(name), name, [], (reply) => {
      const [left, ...fields] = listIn(reply, 1)
      const owners = ownersIn(fields)
      return { name, owners, remainingMs: timeLeft(left), lingers: lingers(fields) }
    })
    const keeper = seen.owners[0]?.owner.split(':')[0] ?? clientId
    if (!seen.lingers || keeper === clientId) return { ...seen, lingers: false }
    if (!asks) return seen
    const channel = processChannelsOf(this.key(name), this.parts.inCluster) + keeper
    // A client that may not publish, or looks at a replica, only learns who has the lock. A process that is gone hears nothing.
    const told = await announce(link, name, channel, `asked ${this.key(name)}`, () => undefined)
    return { ...seen, lingers: told > 0 }
  }

  async countWatchers(name: string): Promise<number> {
    return await this.commands.countWaiting(name)
  }

  async forceUnlock(name: string): Promise<boolean> {
    return (await this.commands.forceUnlock(name)) > 0
  }

  async *list(pattern: string): AsyncIterable<LockSeen> {
    const { keyPrefix } = this.parts
    for await (const key of scanKeys(this.link, keyPrefix, pattern)) {
      // The hashes of a semaphore's holders and of the processes in a line look like locks, and are none.
      if (key.startsWith(`${HOLDERS_OF_PERMITS}:`)) continue
      const state = await this.inspect(key.slice(keyPrefix.length))
      if (state.owners.length > 0) yield state
    }
  }
}
