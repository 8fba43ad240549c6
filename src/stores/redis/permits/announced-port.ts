import type { AcquireReply } from '../../../port/lock-port.js'
import { announce } from '../channels/announcements.js'
import type { Link } from '../connection/link.js'
import type { LockParts } from '../locks/reentrant-lock.js'

/** What semaphores and latches share in Redis: a number, and the channel that announces its changes. */
export abstract class AnnouncedPort {
  protected readonly link: Link
  protected readonly keyPrefix: string

  constructor(protected readonly parts: LockParts) {
    this.link = parts.link
    this.keyPrefix = parts.keyPrefix
  }

  get watchesInOrder(): boolean {
    return this.link.subscribesInOrder
  }

  protected abstract channelOf(name: string): string

  /** Each owner has its own permits: there is nothing to hand over. */
  async handOver(): Promise<AcquireReply> {
    return { outcome: 'lost' }
  }

  /** Every key and channel derives from this one name, so that prefix and hash tags agree everywhere. */
  protected key(name: string): string {
    return this.keyPrefix + name
  }

  /**
   * How many other connections got the message.
   *
   * @param told the script's own count; negative where it could not publish: then this announces `text`.
   */
  protected async others(name: string, told: number, text: string): Promise<number> {
    const { channels, onError } = this.parts
    const channel = this.channelOf(name)
    const all = told < 0 ? await announce(this.link, name, channel, text, onError) : told
    return Math.max(all - (channels.subscribed(channel) ? 1 : 0), 0)
  }
}
