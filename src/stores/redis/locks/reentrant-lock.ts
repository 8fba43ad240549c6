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
import type { ReleaseChannels } from '../channels/release-channel.js'
import type { Link, Renewing } from '../connection/link.js'
import { HOLDERS_OF_PERMITS } from '../keys/semaphore-keys.js'
import type { LinesSettings } from '../line/lines.js'
import type { LockCommands } from '../line/lock-commands.js'
import { lockRenewal, renewEach } from '../renewals/lease-renewals.js'
import { lingers, listIn, ownersIn, timeLeft } from '../scripts/replies.js'
import { scanKeys } from '../scripts/scan.js'
import { runScript } from '../scripts/script.js'
import { inspect } from '../scripts/scripts.generated.js'
import type { ThreadRenewals } from '../watchdog-thread/thread-renewals.js'

/** What the ports of a session share. */
export interface LockParts extends LinesSettings {
  readonly link: Link
  readonly renewing: Renewing
  readonly channels: ReleaseChannels
  readonly keyPrefix: string
  readonly quarantineMs: number
  readonly onError: (error: unknown) => void
  /** Renews leases in a thread of its own, if the client has one. */
  readonly renewals?: ThreadRenewals | undefined
  /**
   * Makes the port that asks for several locks with one command.
   * @param starting what must happen before the store may grant a lock; undefined when it has happened
   */
  readonly batchOf?:
    | ((parts: LockParts, starting: () => Promise<unknown> | undefined) => BatchPort)
    | undefined
}

/**
 * The reentrant lock as Redisson's `RLock` keeps it: a hash of owner -> hold count, whose time to live is the lease. Waiters here stand
 * in no line.
 */
export abstract class ReentrantLockPort implements LockPort {
  /** Absent for fenced locks, which mint tokens one at a time, and for a line of calls, which no call may jump. */
  readonly together: BatchPort | undefined
  readonly thread: ThreadRenewals | undefined

  constructor(
    protected readonly parts: LockParts,
    protected readonly commands: LockCommands,
  ) {
    this.thread = parts.renewals
    if (!commands.fenced) this.together = parts.batchOf?.(parts, () => this.starting())
  }

  get watchesInOrder(): boolean {
    return this.parts.link.subscribesInOrder
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const starting = this.starting()
    if (starting) await starting
    return await this.commands.acquire(request, 0, '-', (answer) => answer)
  }

  /** Await it before the first acquire: the event loop may block right after the first grant. */
  protected starting(): Promise<unknown> | undefined {
    return this.thread?.start()
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    await this.commands.release(name, owner, heldBefore + 1, true, () => undefined)
  }

  handOver(request: HandOverRequest): Promise<AcquireReply> {
    return this.commands.handOver(request)
  }

  release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const { link } = this.parts
    const { breaks } = link
    return this.commands.release(name, owner, heldBefore, false, (reply) => {
      if (reply === 0) return 'still-held'
      if (reply > 0) return this.released(name, reply - 1)
      // If the server may have had this last release before, nothing left to release means that it carried it out then.
      return heldBefore === 1 && (repeated || link.breaks !== breaks) ? 'released' : 'not-owner'
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

  abstract watch(name: string, onNews: (news?: News) => void): Watch

  async inspect(name: string, asks = false): Promise<LockSeen> {
    const { link, clientId } = this.parts
    const seen = await runScript(link, inspect, this.key(name), name, [], (reply) => {
      const [left, ...fields] = listIn(reply, 1)
      const owners = ownersIn(fields)
      return { name, owners, remainingMs: timeLeft(left), lingers: lingers(fields) }
    })
    const keeper = seen.owners[0]?.owner.split(':')[0] ?? clientId
    if (!seen.lingers || keeper === clientId) return { ...seen, lingers: false }
    if (!asks) return seen
    const channel = this.commands.channelOf(name, keeper)
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
    const { link, keyPrefix } = this.parts
    for await (const key of scanKeys(link, keyPrefix, pattern)) {
      // The hashes of a semaphore's holders and of the processes in a line look like locks, and are none.
      if (key.startsWith(`${HOLDERS_OF_PERMITS}:`)) continue
      const state = await this.inspect(key.slice(keyPrefix.length))
      if (state.owners.length > 0) yield state
    }
  }

  /** Every key and channel derives from this one name, so that prefix and hash tags agree everywhere. */
  protected key(name: string): string {
    return this.parts.keyPrefix + name
  }
}
