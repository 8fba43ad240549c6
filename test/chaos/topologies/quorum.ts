import { bringServer } from '../../servers/index.js'
import { Wire } from '../network/wire.js'
import type { Endpoint, Route } from '../order.js'
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
    async route() {
      const wires = await Promise.all(servers.map((server) => Wire.before(server)))
      return { route: to(wires), wires }
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}
