import type { Clock } from '../core/clock.js'
import { StoreError } from '../errors.js'
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
import { ClientLine } from './line/client-line.js'
import { FairCommands } from './line/fair-commands.js'
import { grantIn } from './line/grant-message.js'
import type { Link } from './link.js'
import type { ReleaseChannels } from './release-channel.js'
import type { ThreadRenewals } from './watchdog-thread/thread-renewals.js'

export interface FairLockSettings {
  /** The first half of all owners of this client. */
  readonly clientId: string
  /** How long its places in line last without being kept up. */
  readonly waiterLeaseMs: number
  /** The lease that the watchdog asks for: a grant made in line needs no command then, the watchdog prolongs it. */
  readonly watchdogLeaseMs: number
  readonly clock: Pick<Clock, 'now'>
  readonly thread?: ThreadRenewals | undefined
}

/**
 * The fair lock: the reentrant lock's hash, so that both exclude each other, and beside it a line of those who wait. A release
 * grants the lock to the next one whose place is kept, and tells that client.
 */
export class FairLockPort implements LockPort, StoreLine {
  readonly fenced = false
  readonly line: StoreLine = this
  readonly waiterLeaseMs: number
  readonly thread: ThreadRenewals | undefined
  readonly #commands: FairCommands
  readonly #lines = new Map<string, ClientLine>()

  constructor(
    private readonly link: Link,
    private readonly channels: ReleaseChannels,
    keyPrefix: string,
    onError: (error: unknown) => void,
    /** The same locks without their line. */
    private readonly plain: LockPort,
    private readonly settings: FairLockSettings,
  ) {
    const { clientId, waiterLeaseMs, thread } = settings
    this.waiterLeaseMs = waiterLeaseMs
    this.thread = thread
    this.#commands = new FairCommands(link, keyPrefix, clientId, waiterLeaseMs, onError)
  }

  get watchesInOrder(): boolean {
    return this.link.subscribesInOrder
  }

  async acquire(request: AcquireRequest): Promise<AcquireReply> {
    const starting = this.thread?.start()
    if (starting) await starting
    const { name, owner, leaseMs } = request
    const { clock, watchdogLeaseMs } = this.settings
    const line = request.waits ? this.#lineOf(name) : this.#lines.get(name)
    const granted = line?.takeGrant(owner, clock.now())
    if (granted && leaseMs === watchdogLeaseMs) {
      this.#leave(name, owner)
      return { outcome: 'granted', granted }
    }
    if (request.waits) line?.join(owner)
    try {
      const sentAt = clock.now()
      const reply = await this.#commands.acquire(request)
      if (typeof reply === 'object') {
        this.#lines.get(name)?.heard(sentAt, reply.serverMs, owner)
        return { outcome: 'busy', remainingMs: reply.remainingMs, holder: reply.holder }
      }
      this.#leave(name, owner)
      return { outcome: reply === 1 ? 'granted' : 'lost' }
    } catch (error) {
      // What may have been carried out is repeated or abandoned; what was refused is not heard of again.
      if (!(error instanceof StoreError && error.transient)) this.#leave(name, owner)
      throw error
    }
  }

  async abandon({ name, owner, heldBefore }: AcquireRequest): Promise<void> {
    this.#leave(name, owner)
    await this.#commands.release(name, owner, heldBefore + 1, true)
  }

  async release({ name, owner, heldBefore, repeated }: ReleaseRequest): Promise<ReleaseReply> {
    const { breaks } = this.link
    const reply = await this.#commands.release(name, owner, heldBefore, false)
    if (reply === 0) return 'still-held'
    if (reply === 1) return 'released'
    // A last release that may have been delivered before finds nothing left to release: it was carried out then.
    return heldBefore === 1 && (repeated || this.link.breaks !== breaks) ? 'released' : 'not-owner'
  }

  async keepUp(name: string): Promise<LineState> {
    const sentAt = this.settings.clock.now()
    const inLine = this.#lines.get(name)?.standing ?? []
    const { remainingMs, serverMs, gone } = await this.#commands.keepUp(name, inLine)
    this.#lines.get(name)?.heard(sentAt, serverMs)
    // One that was granted the lock is in line no more, either.
    return { remainingMs, askAgain: gone }
  }

  /** Hears of grants to this client, and of releases of those who keep no line. */
  watch(name: string, onNews: (news?: News) => void): Watch {
    const own = this.channels.hear(this.#commands.grantChannel(name), (text) => {
      const grant = text === undefined ? undefined : grantIn(text)
      if (grant) this.#lines.get(name)?.granted(grant)
      onNews(grant && { grantedTo: grant.owner })
    })
    const all = this.channels.watch(this.#commands.releaseChannel(name), () => onNews())
    return {
      confirmed: Promise.all([own.confirmed, all.confirmed]).then(() => undefined),
      doubt: () => own.doubt?.(),
      close: () => {
        own.close()
        all.close()
      },
    }
  }

  forceUnlock(name: string): Promise<boolean> {
    return this.#commands.forceUnlock(name)
  }

  handOver(request: HandOverRequest): Promise<AcquireReply> {
    return this.plain.handOver(request)
  }

  renew(requests: readonly RenewRequest[]): readonly Promise<boolean>[] {
    return this.plain.renew(requests)
  }

  inspect(name: string): Promise<LockState> {
    return this.plain.inspect(name)
  }

  /** Whoever waits in line hears of releases that are announced, too. */
  countWatchers(name: string): Promise<number> {
    return this.plain.countWatchers(name)
  }

  list(pattern: string): AsyncIterable<LockState> {
    return this.plain.list(pattern)
  }

  #lineOf(name: string): ClientLine {
    let line = this.#lines.get(name)
    if (!line) {
      line = new ClientLine()
      this.#lines.set(name, line)
    }
    return line
  }

  #leave(name: string, owner: Owner): void {
    const line = this.#lines.get(name)
    line?.leave(owner)
    if (line?.empty) this.#lines.delete(name)
  }
}
