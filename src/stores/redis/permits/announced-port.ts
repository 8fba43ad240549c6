import { announce } from '../channels/announcements.js'
import { RedisPort } from '../locks/redis-port.js'

/** What semaphores and latches share in Redis: a number, and the channel that announces its changes. */
export abstract class AnnouncedPort extends RedisPort {
  protected abstract channelOf(name: string): string

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
