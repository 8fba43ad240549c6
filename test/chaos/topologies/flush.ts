import { withAdmin } from '../../servers/admin.js'
import type { Server } from '../../servers/index.js'

export async function flush(servers: readonly Server[]): Promise<void> {
  for (const server of servers) {
    // A replica follows its master.
    await withAdmin(server, (command) => command('FLUSHALL')).catch(() => undefined)
  }
}
