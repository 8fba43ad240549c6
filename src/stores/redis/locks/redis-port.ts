import type { AcquireReply, BatchPort, HandOverRequest } from '../../../port/lock-port.js'
import type { ReleaseChannels } from '../channels/release-channel.js'
import type { Link, Renewing } from '../connection/link.js'
import type { LinesSettings } from '../line/line-terms.js'
import type { ThreadRenewals } from '../watchdog-thread/thread-renewals.js'

/** What the ports of a session share. */
export interface LockParts extends LinesSettings {
  readonly link: Link
  readonly renewing: Renewing
  readonly channels: ReleaseChannels
  readonly keyPrefix: string
  readonly quarantineMs: number
  readonly onError: (error: unknown) => void
  /** What renews leases in a separate thread, if the client has one. */
  readonly renewals?: ThreadRenewals | undefined
  /**
   * Makes the port that asks for several locks with one command.
   * @param starting what must happen before the store may grant a lock; undefined when it has happened
   */
  readonly batchOf?:
    | ((parts: LockParts, starting: () => Promise<unknown> | undefined) => BatchPort)
    | undefined
}

/** What the ports of all kinds have in common in Redis. */
export abstract class RedisPort {
  protected readonly link: Link

  constructor(protected readonly parts: LockParts) {
    this.link = parts.link
  }

  get watchesInOrder(): boolean {
    return this.link.subscribesInOrder
  }

  /** Where all calls stand in the store's line, or each owner has its own permits, there is nothing to hand over. */
  async handOver(_request: HandOverRequest): Promise<AcquireReply> {
    return { outcome: 'lost' }
  }

  /** Every key and channel derives from this one name, so that prefix and hash tags agree everywhere. */
  protected key(name: string): string {
    return this.parts.keyPrefix + name
  }

  /**
   * What it means that a last release has found nothing: if the server may have had it before, it carried it out then.
   * @param breaks of the link, when the release began
   */
  protected foundNone(repeated: boolean | undefined, breaks: number): 'released' | 'not-owner' {
    return repeated || this.link.breaks !== breaks ? 'released' : 'not-owner'
  }
}
