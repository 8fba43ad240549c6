import * as caches from './caches.js'
import * as data from './data.js'
import * as databases from './databases.js'
import * as ensembles from './ensembles.js'
import type { Nemesis, Traits } from './nemesis.js'
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
  const either = (trait: keyof Traits): boolean => one[trait] === true || other[trait] === true
  return {
    name: `${one.name}+${other.name}`,
    topologies: one.topologies.filter((name) => other.topologies.includes(name)),
    options: { ...one.options, ...other.options },
    ...{ freezes: either('freezes'), losesData: either('losesData'), elects: either('elects') },
    ...{ strays: either('strays'), endsEarly: either('endsEarly') },
    async strike(scene) {
      await Promise.all([one.strike(scene), other.strike(scene)])
    },
  }
}
