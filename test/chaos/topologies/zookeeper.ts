import { ZooKeeperEnsemble } from '../../servers/zookeeper/index.js'
import { type Endpoint, Wire } from '../../wire/wire.js'
import type { Route } from '../order.js'
import type { Topology } from './topology.js'

/** Three members of one ZooKeeper. Each episode has a root of its own: what is left below another is nobody's. */
export async function bringZooKeeper(): Promise<Topology> {
  const servers = await ZooKeeperEnsemble.start()
  const { members } = servers
  let episodes = 0
  const root = (): string => `/chaos-${episodes}`
  const to = (hosts: readonly Endpoint[]): Route => ({
    to: 'zookeeper',
    servers: hosts.map(({ host, port }) => `${host}:${port}`),
    root: root(),
  })
  return {
    name: 'zookeeper',
    servers: [],
    ensemble: {
      members,
      leader: async () => (await servers.parts()).leader,
      isolate(member) {
        for (const each of members) if (each === member) servers.isolate(each)
      },
      heal: () => servers.heal(),
      async serves() {
        await servers.parts()
      },
      async entries() {
        const { leader } = await servers.parts()
        return (await leader.ask('dump')).split('\n').flatMap((line) => {
          const path = line.trim()
          return path.startsWith(`${root()}/`) ? [path] : []
        })
      },
    },
    get direct() {
      return to(members)
    },
    async empty() {
      episodes += 1
    },
    async route() {
      const wires = await Promise.all(members.map((server) => Wire.before(server)))
      return { route: to(wires), wires }
    },
    stop: () => servers.stop(),
  }
}
