import * as caches from './caches.js'
import * as data from './data.js'
import * as databases from './databases.js'
import * as ensembles from './ensembles.js'
import type { Nemesis } from './nemesis.js'
import * as network from './network.js'
import * as servers from './servers.js'
import * as workers from './workers.js'

export const nemeses: readonly Nemesis[] = [
  ...Object.values(workers),
  ...Object.values(servers),
  ...Object.values(data),
  ...Object.values(network),
  ...Object.values(databases),
  ...Object.values(caches),
  ...Object.values(ensembles),
  both(workers.block, servers.clientKill),
  both(workers.kill, network.cut),
  both(workers.pause, servers.serverPause),
  both(network.refuse, servers.scriptFlush),
  both(workers.reopen, network.cut),
  both(network.silence, workers.kill),
  both(workers.block, databases.sessionKill),
  both(workers.pause, databases.databasePause),
  both(workers.kill, databases.rowLocks),
  both(workers.kill, ensembles.leaderMove),
  both(workers.pause, ensembles.leaderKill),
  both(network.cut, ensembles.leaderKill),
]

function both(one: Nemesis, other: Nemesis): Nemesis {
  return {
    name: `${one.name}+${other.name}`,
    topologies: one.topologies.filter((name) => other.topologies.includes(name)),
    options: { ...one.options, ...other.options },
    freezes: one.freezes === true || other.freezes === true,
    losesData: one.losesData === true || other.losesData === true,
    elects: one.elects === true || other.elects === true,
    strays: one.strays === true || other.strays === true,
    endsEarly: one.endsEarly === true || other.endsEarly === true,
    async strike(scene) {
      await Promise.all([one.strike(scene), other.strike(scene)])
    },
  }
}
