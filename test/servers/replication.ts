import { ask } from './admin.js'
import type { Server } from './server.js'
import { until } from './until.js'

/**
 * Resolves when the replica follows the primary and has all that was written to it before this call, by whomever. `WAIT` does
 * not tell that: it counts the replicas that have what was written over its own connection.
 */
export async function untilFollows(replica: Server, primary: Server): Promise<void> {
  const written = /^master_repl_offset:(\d+)/m.exec(await replication(primary))?.[1]
  await until(
    async () => {
      const info = await replication(replica)
      const has = /^slave_repl_offset:(\d+)/m.exec(info)?.[1]
      const linked = info.includes(`master_port:${primary.port}`) && info.includes('master_link_status:up')
      return linked && Number(has) >= Number(written)
    },
    { what: `the server on port ${replica.port} follows the one on port ${primary.port}` },
  )
}

/** Over a connection of its own each time: the sentinel cuts those of a server whose part it changes. */
async function replication(server: Server): Promise<string> {
  return String(await ask(server, 'INFO', 'replication'))
}
