import { bringServer } from '../../servers/index.js'
import { type Endpoint, Wire } from '../../wire/wire.js'
import type { Route } from '../order.js'
import { flush } from './flush.js'
import type { Topology } from './topology.js'

/** For DEBUG SLEEP. */
export const DEBUGGABLE = ['--enable-debug-command', 'yes']

export async function bringStandalone(protocol: 2 | 3): Promise<Topology> {
  const server = await bringServer({ prefer: 'binary', args: DEBUGGABLE })
  const to = ({ host, port }: Endpoint): Route => ({ to: 'standalone', server: { host, port }, protocol })
  return {
    name: `standalone-${protocol}`,
    servers: [server],
    direct: to(server),
    empty: () => flush([server]),
    async route() {
      const wire = await Wire.before(server)
      return { route: to(wire), wires: [wire] }
    },
    stop: () => server.stop(),
  }
}
