import type { ServerIdentity } from '../../ports/store.js'
import type { NodeLink } from './link.js'

/** Which server process a node is, and since when it runs. */
export async function identityOf(node: NodeLink): Promise<ServerIdentity> {
  const text = String(await node.send({ command: 'INFO server' }, 'INFO', 'server'))
  const field = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(text)?.[1] ?? ''
  // The server subtracts seconds of its clock, so one that began late in a second says up to a second too much.
  const fullSeconds = Math.max(Number(field('uptime_in_seconds')) - 1, 0)
  return { runId: field('run_id'), uptimeMs: fullSeconds * 1_000 }
}
