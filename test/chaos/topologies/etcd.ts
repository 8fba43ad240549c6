import { EtcdEnsemble } from '../../servers/etcd/index.js'
import type { Ensemble } from './ensemble.js'
import { type Topology, waysTo } from './topology.js'

const PREFIX = 'holdfast/'
/** What outlasts those who made it: values, and numbers of permits. */
const KEPT = `${PREFIX}%cells/`

export async function bringEtcd(): Promise<Topology> {
  const servers = await EtcdEnsemble.start()
  const { members } = servers
  const some = members[0]
  const keys = async (): Promise<string[]> =>
    ((await some?.ctl('get', '--prefix', PREFIX, '--keys-only')) ?? '').split('\n').filter(Boolean)
  const ensemble: Ensemble = {
    members,
    leader: () => Promise.any(members.map((member) => servers.leader(member))),
    async moveLeader() {
      const [follower] = await servers.followers()
      if (follower) await servers.moveLeader(follower)
    },
    async compact() {
      const written = (await some?.ctl('put', 'chaos', 'written', '--write-out=json')) ?? ''
      await some?.ctl('compact', /"revision":(\d+)/.exec(written)?.[1] ?? '', '--physical')
    },
    isolate: servers.isolate.bind(servers),
    heal: () => servers.heal(),
    async serves() {
      await Promise.all(members.map((member) => member.serves()))
    },
    entries: async () => (await keys()).filter((key) => !key.startsWith(KEPT)),
  }
  return {
    name: 'etcd',
    servers: [],
    ensemble,
    ...waysTo(members, (at) => ({ to: 'etcd', hosts: at.map(({ host, port }) => `http://${host}:${port}`) })),
    async empty() {
      await some?.ctl('del', '--prefix', PREFIX)
    },
    stop: () => servers.stop(),
  }
}
