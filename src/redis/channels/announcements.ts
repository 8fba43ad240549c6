import type { Watch } from '../../ports/lock-port.js'
import type { Link } from '../connection/link.js'
import type { ReleaseChannels } from './release-channel.js'

/** The channels of semaphores and latches: listens, counts listeners, and publishes if the script could not. */
export class Announcements {
  constructor(
    private readonly link: Link,
    private readonly channels: ReleaseChannels,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Calls back with each message, and without one where one may have been missed. */
  hear(channel: string, onMessage: (text?: string) => void): Watch {
    return this.channels.hear(channel, onMessage)
  }

  async countWatchers(lockName: string, channel: string): Promise<number> {
    const node = await this.link.nodeOf(channel)
    const { countCommand } = this.link
    const about = { command: `PUBSUB ${countCommand}`, lockName }
    const reply = await node.send(about, 'PUBSUB', countCommand, channel)
    return Array.isArray(reply) ? Number(reply[1]) : 0
  }

  /**
   * How many other connections received it.
   * @param told as a script says: -1 where its node may not or cannot tell. Then it is told from here; if that fails too,
   *   waiters find out when the first lease they saw has ended.
   */
  async others(lockName: string, channel: string, told: number, text: string): Promise<number> {
    const all = told < 0 ? await this.#tell(lockName, channel, text) : told
    return Math.max(all - (this.channels.subscribed(channel) ? 1 : 0), 0)
  }

  async #tell(lockName: string, channel: string, text: string): Promise<number> {
    const { publishCommand } = this.link
    try {
      return Number(
        await this.link.send(channel, { command: publishCommand, lockName }, publishCommand, channel, text),
      )
    } catch (error) {
      this.onError(error)
      return 0
    }
  }
}
