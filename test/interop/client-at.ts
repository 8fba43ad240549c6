import type { RedisClient } from '../../src/index.js'
import { clusterClient, standaloneClient } from '../setup/clients.js'

/** A client of the server, or of the cluster where there are several nodes. */
export function clientAt(nodes: Array<{ host: string; port: number }>, options = {}): RedisClient {
  const [node, ...others] = nodes
  if (!node) throw new Error('no node was named')
  return others.length > 0 ? clusterClient(nodes, options) : standaloneClient({ ...node, ...options })
}
