import { ZooKeeperEnsemble } from '../../servers/zookeeper/index.js'
import { type Topology, waysTo } from './topology.js'

/** Three members of one ZooKeeper. Each episode has a root of its own: what is left below another is nobody's. */
export async function bringZooKeeper(): Promise<Topology> {
  const servers = await ZooKeeperEnsemble.start()
  const { members } = servers
  let episodes = 0
  const root = (): string => `/chaos-${episodes}`
  const ways = waysTo(members, (at) => ({
    to: 'zookeeper',
    servers: at.map(({ host, port }) => `${host}:${port}`),
    root: root(),
  }))
  return {
    name: 'zookeeper',
    servers: [],
    ensemble: {
      members,
      leader: async () => (await servers.parts()).leader,
      isolate: servers.isolate.bind(servers),
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
      return ways.direct
    },
    async empty() {
      episodes += 1
    },
    route: ways.route,
    stop: () => servers.stop(),
  }
}
