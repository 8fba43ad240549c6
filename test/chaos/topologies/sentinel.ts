import { bringSentinel } from '../../servers/index.js'
import { type Endpoint, Wire } from '../../wire/wire.js'
import type { Route } from '../order.js'
import { flush } from './flush.js'
import { natMapOf } from './nat-map.js'
import { DEBUGGABLE } from './standalone.js'
import type { Topology } from './topology.js'

export async function bringSentinelGroup(): Promise<Topology> {
  const group = await bringSentinel({ prefer: 'binary', args: DEBUGGABLE })
  const servers = [group.primary, group.replica]
  const to = (sentinels: readonly Endpoint[], wires: readonly Wire[]): Route => ({
    to: 'sentinel',
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
    name: group.name,
    natMap: natMapOf(wires),
  })
  return {
    name: 'sentinel',
    servers,
    direct: to(group.sentinels, []),
    failover: () => group.failover(),
    empty: () => flush(servers),
    async route() {
      const before = (targets: readonly Endpoint[]): Promise<Wire[]> =>
        Promise.all(targets.map((target) => Wire.before(target)))
      const sentinels = await before(group.sentinels)
      const wires = [...(await before(servers)), ...sentinels]
      return { route: to(sentinels, wires), wires }
    },
    stop: () => group.stop(),
  }
}
