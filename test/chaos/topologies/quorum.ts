import { withAdmin } from '../../servers/admin.js'
import { bringServer, type Server } from '../../servers/index.js'
import { until } from '../../servers/until.js'
import { type Endpoint, Wire } from '../../wire/wire.js'
import type { Route } from '../order.js'
import { flush } from './flush.js'
import { DEBUGGABLE } from './standalone.js'
import type { Topology } from './topology.js'

const MEMBERS = 3

/** Three servers that know nothing of each other. @param restartGuardMs no less than the longest lease */
export async function bringQuorum(restartGuardMs: number): Promise<Topology> {
  const servers = await Promise.all(
    Array.from({ length: MEMBERS }, () => bringServer({ prefer: 'binary', args: DEBUGGABLE })),
  )
  const to = (members: readonly Endpoint[]): Route => ({
    to: 'quorum',
    members: members.map(({ host, port }) => ({ host, port })),
    restartGuardMs,
  })
  return {
    name: 'quorum',
    servers,
    direct: to(servers),
    settled: () => untilAllVote(servers, restartGuardMs),
    empty: () => flush(servers),
    async route() {
      const wires = await Promise.all(servers.map((server) => Wire.before(server)))
      return { route: to(wires), wires }
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

/** A server that was started a short while ago does not vote yet. */
async function untilAllVote(servers: readonly Server[], guardMs: number): Promise<void> {
  for (const server of servers)
    await withAdmin(server, (command) =>
      until(
        async () => {
          const info = String(await command('INFO', 'server'))
          return Number(/^uptime_in_seconds:(\d+)/m.exec(info)?.[1]) * 1_000 > guardMs + 1_000
        },
        { what: 'the server has been up for long enough to vote', everyMs: 200 },
      ),
    )
}
