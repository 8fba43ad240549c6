import { EtcdEnsemble } from '../../servers/etcd/index.js'
import { type Endpoint, Wire } from '../../wire/wire.js'
import type { Route } from '../order.js'
import type { Ensemble } from './ensemble.js'
import type { Topology } from './topology.js'

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
    isolate(member) {
      for (const each of members) if (each === member) servers.isolate(each)
    },
    heal: () => servers.heal(),
    async serves() {
      await Promise.all(members.map((member) => member.serves()))
    },
    entries: async () => (await keys()).filter((key) => !key.startsWith(KEPT)),
  }
  const to = (hosts: readonly Endpoint[]): Route => ({
    to: 'etcd',
    hosts: hosts.map(({ host, port }) => `http://${host}:${port}`),
  })
  return {
    name: 'etcd',
    servers: [],
    ensemble,
    direct: to(members),
    async empty() {
      await some?.ctl('del', '--prefix', PREFIX)
    },
    async route() {
      const wires = await Promise.all(members.map((member) => Wire.before(member)))
      return { route: to(wires), wires }
    },
    stop: () => servers.stop(),
  }
}
