import type { Link } from '../connection/link.js'

/** How many listen to each of the channels, which are of one slot. */
export async function countListeners(
  link: Link,
  lockName: string,
  ...channels: readonly [string, ...string[]]
): Promise<readonly number[]> {
  const { countCommand } = link
  const node = await link.nodeOf(channels[0])
  const reply = await node.send(
    { command: `PUBSUB ${countCommand}`, lockName },
    'PUBSUB',
    countCommand,
    ...channels,
  )
  const counted: unknown[] = Array.isArray(reply) ? reply : []
  return channels.map((_, index) => Number(counted[2 * index + 1] ?? 0))
}

/**
 * Announces what a script could not: its node may not, or the channel lives elsewhere. If that fails too, waiters find out when the
 * lease they saw has ended.
 *
 * @returns how many connections were told.
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
    return Number(await link.send(channel, about, publishCommand, channel, text))
  } catch (error) {
    onError(error)
    return 0
  }
}
