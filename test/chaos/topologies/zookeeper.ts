import { ZooKeeperEnsemble, type ZooKeeperServer } from '../../servers/zookeeper/index.js'
import { Wire } from '../network/wire.js'
import type { Endpoint, Route } from '../order.js'
import type { Member } from './ensemble.js'
import type { Topology } from './topology.js'

/** Three members of one ZooKeeper. Each episode has a root of its own: what is left below another is nobody's. */
export async function bringZooKeeper(): Promise<Topology> {
  const servers = await ZooKeeperEnsemble.start()
  const members = servers.members.map(memberOf)
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
      async leader() {
        const { leader } = await servers.parts()
        return members[servers.members.indexOf(leader)] ?? memberOf(leader)
      },
      isolate(member) {
        for (const [index, server] of servers.members.entries())
          if (members[index] === member) servers.isolate(server)
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
      return to(servers.members)
    },
    async empty() {
      episodes += 1
    },
    async route() {
      const wires = await Promise.all(servers.members.map((server) => Wire.before(server)))
      return { route: to(wires), wires }
    },
    stop: () => servers.stop(),
  }
}

function memberOf(server: ZooKeeperServer): Member {
  return {
    pause: () => server.pause(),
    resume: () => server.resume(),
    kill: () => server.kill(),
    launch: () => server.start(),
  }
}
