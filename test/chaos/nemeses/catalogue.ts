import * as caches from './caches.js'
import * as data from './data.js'
import * as databases from './databases.js'
import * as ensembles from './ensembles.js'
import type { Nemesis } from './nemesis.js'
import * as network from './network.js'
import * as servers from './servers.js'
import * as workers from './workers.js'

const { block, kill, pause, reopen } = workers
const { cut, refuse, silence } = network

/** All that goes wrong, alone and together. */
export const nemeses: readonly Nemesis[] = [
  ...[workers, servers, data, network, databases, caches, ensembles].flatMap((each): readonly Nemesis[] =>
    Object.values(each),
  ),
  both(block, servers.clientKill),
  both(kill, cut),
  both(pause, servers.serverPause),
  both(refuse, servers.scriptFlush),
  both(reopen, cut),
  both(silence, kill),
  both(block, databases.sessionKill),
  both(pause, databases.databasePause),
  both(kill, databases.rowLocks),
  both(kill, ensembles.leaderMove),
  both(pause, ensembles.leaderKill),
  both(cut, ensembles.leaderKill),
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
