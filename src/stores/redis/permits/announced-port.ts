import type { AcquireReply, News, Watch } from '../../../port/lock-port.js'
import { announce, countListeners } from '../channels/announcements.js'
import type { Link } from '../connection/link.js'
import type { LockParts } from '../locks/reentrant-lock.js'

/** What semaphores and latches have in common in Redis: a number, and the channel on which changes of it are announced. */
export abstract class AnnouncedPort {
  protected readonly link: Link
  protected readonly keyPrefix: string

  constructor(private readonly parts: LockParts) {
    this.link = parts.link
    this.keyPrefix = parts.keyPrefix
  }

  get watchesInOrder(): boolean {
    return this.link.subscribesInOrder
  }

  protected abstract channelOf(name: string): string

  /** How many may enter by what a message says; undefined where that is not known. */
  protected abstract roomIn(text: string): number | undefined

  /** What each owner has is its own. */
  async handOver(): Promise<AcquireReply> {
    return { outcome: 'lost' }
  }

  watch(name: string, onNews: (news?: News) => void): Watch {
    return this.parts.channels.hear(this.channelOf(name), (text) => {
      const room = text === undefined ? undefined : this.roomIn(text)
      onNews(room === undefined ? undefined : { room })
    })
  }

  async countWatchers(name: string): Promise<number> {
    const [listeners = 0] = await countListeners(this.link, name, this.channelOf(name))
    return listeners
  }

  /** Everything is derived from this one name, so that prefix and hash tags agree everywhere. */
  protected key(name: string): string {
    return this.keyPrefix + name
  }

  /** What a script needs to announce. */
  protected announcing(name: string): readonly [channel: string, command: string] {
    return [this.channelOf(name), this.link.publishCommand]
  }

  /**
   * How many other connections were told.
   *
   * @param told as a script says: negative where it could not tell; then `text` is announced from here.
   */
  protected async others(name: string, told: number, text: string): Promise<number> {
    const { channels, onError } = this.parts
    const channel = this.channelOf(name)
    const all = told < 0 ? await announce(this.link, name, channel, text, onError) : told
    return Math.max(all - (channels.subscribed(channel) ? 1 : 0), 0)
  }
}
