import { answerTo } from '../connection/failure.js'
import type { Link } from '../connection/link.js'
import { listIn, pairsIn, wholeIn } from '../scripts/replies.js'

/** Counts the subscribers of each channel; the channels share one slot. */
export async function countListeners(
  link: Link,
  lockName: string,
  ...channels: readonly [string, ...string[]]
): Promise<readonly number[]> {
  const countCommand = link.publishCommand === 'SPUBLISH' ? 'SHARDNUMSUB' : 'NUMSUB'
  const node = await link.nodeOf(channels[0])
  const about = { command: `PUBSUB ${countCommand}`, lockName }
  const size = 2 * channels.length
  return await answerTo(about, node.send(about, 'PUBSUB', countCommand, ...channels), (reply) =>
    pairsIn(listIn(reply, size, size)).map(([, count]) => wholeIn(count, 0)),
  )
}

/**
 * Announces what a script could not: its node may not, or another node serves the channel. If that fails too, waiters look when the
 * lease they saw ends.
 *
 * @returns how many connections got the message.
 */
export async function announce(
  link: Link,
  lockName: string | undefined,
  channel: string,
  text: string,
  onError: (error: unknown) => void,
): Promise<number> {
  const { publishCommand } = link
  const about = { command: publishCommand, lockName }
  try {
    const told = link.send(channel, about, publishCommand, channel, text)
    return await answerTo(about, told, (reply) => wholeIn(reply, 0))
  } catch (error) {
    onError(error)
    return 0
  }
}
