import type { ServerIdentity } from '../../../port/store.js'
import { textIn, UnreadableReply } from '../scripts/replies.js'
import { answerTo } from './failure.js'
import type { NodeLink } from './link.js'

/** Which server process a node is, and since when it runs. */
export async function identityOf(node: NodeLink): Promise<ServerIdentity> {
  const about = { command: 'INFO server' }
  return await answerTo(about, node.send(about, 'INFO', 'server'), (reply) => {
    const text = textIn(reply)
    const [, runId = ''] = /^run_id:(.*?)\r?$/m.exec(text) ?? []
    const [, uptime] = /^uptime_in_seconds:(\d{1,12})\r?$/m.exec(text) ?? []
    if (uptime === undefined) throw new UnreadableReply(reply)
    // The server subtracts seconds of its clock, so one that began late in a second says up to a second too much.
    return { runId, uptimeMs: Math.max(Number(uptime) - 1, 0) * 1_000 }
  })
}
