import { countListeners } from '../channels/announcements.js'
import { answerTo, isRefusal } from '../connection/failure.js'
import type { Link } from '../connection/link.js'
import { companionOf } from '../keys/companion-key.js'
import { listIn, textIn } from '../scripts/replies.js'

/** In the slot of the release channel, and among the channels of the processes for ACL users. */
export function rosterOf(channel: string): string {
  return companionOf('holdfast:line', channel)
}

/**
 * How many processes wait: those in line, and those that listen outside it.
 * @param channels the roster and the release channel
 * @param processes the key of those in line
 */
export async function countWaiting(
  link: Link,
  lockName: string,
  channels: readonly [string, string],
  processes: string,
): Promise<number> {
  const about = { command: 'HKEYS', lockName }
  const [[listed = 0, listening = 0], inLine] = await Promise.all([
    countListeners(link, lockName, ...channels),
    answerTo(about, link.send(processes, about, 'HKEYS', processes), (reply) =>
      listIn(reply).map(textIn),
    ).catch(unlessRefused),
  ])
  // Fields that are no process begin with a colon.
  return listening - listed + inLine.filter((field) => !field.startsWith(':')).length
}

/** A user who may not read the line sees nobody in it. */
function unlessRefused(error: unknown): readonly string[] {
  if (isRefusal(error)) return []
  throw error
}
