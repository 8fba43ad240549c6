import { bringServer } from '../../servers/index.js'
import { Wire } from '../network/wire.js'
import type { Topology } from './topology.js'

/** For DEBUG SLEEP. */
export const DEBUGGABLE = ['--enable-debug-command', 'yes']

export async function bringStandalone(protocol: 2 | 3): Promise<Topology> {
  const server = await bringServer({ prefer: 'binary', args: DEBUGGABLE })
  return {
    name: `standalone-${protocol}`,
    servers: [server],
    async route() {
      const wire = await Wire.before(server)
      return {
        route: { to: 'standalone', server: { host: wire.host, port: wire.port }, protocol },
        wires: [wire],
      }
    },
    stop: () => server.stop(),
  }
}
