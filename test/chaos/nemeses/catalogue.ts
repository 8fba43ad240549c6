import { cacheFlush, cachePause, cacheRestart } from './caches.js'
import { deleteKey, forceUnlock, moveSlot } from './data.js'
import {
  databasePause,
  databaseRestart,
  deleteRow,
  fileFull,
  fileLocked,
  oldSnapshot,
  readOnly,
  rowLocks,
  sessionKill,
  sessionLimits,
  statementCancel,
  tableLock,
} from './databases.js'
import { compaction, leaderKill, leaderMove, leaderPause, minority, quorumLoss } from './ensembles.js'
import type { Nemesis } from './nemesis.js'
import { cut, dark, delay, hush, hushShort, late, refuse, silence } from './network.js'
import {
  clientKill,
  clientPause,
  crash,
  debugSleep,
  failover,
  restart,
  scriptFlush,
  serverPause,
} from './servers.js'
import { block, blockWithThread, calm, clockStep, kill, pause, reopen } from './workers.js'

/** All that goes wrong, alone and together. */
export const nemeses: readonly Nemesis[] = [
  calm,
  kill,
  pause,
  block,
  blockWithThread,
  clockStep,
  reopen,
  restart,
  crash,
  serverPause,
  debugSleep,
  clientPause,
  clientKill,
  scriptFlush,
  failover,
  forceUnlock,
  deleteKey,
  moveSlot,
  delay,
  cut,
  refuse,
  silence,
  late,
  dark,
  hush,
  hushShort,
  databasePause,
  databaseRestart,
  sessionKill,
  statementCancel,
  sessionLimits,
  rowLocks,
  tableLock,
  oldSnapshot,
  deleteRow,
  readOnly,
  fileLocked,
  fileFull,
  cacheRestart,
  cacheFlush,
  cachePause,
  leaderKill,
  leaderPause,
  leaderMove,
  quorumLoss,
  minority,
  compaction,
  both(block, clientKill),
  both(kill, cut),
  both(pause, serverPause),
  both(refuse, scriptFlush),
  both(reopen, cut),
  both(silence, kill),
  both(block, sessionKill),
  both(pause, databasePause),
  both(kill, rowLocks),
  both(kill, leaderMove),
  both(pause, leaderKill),
  both(cut, leaderKill),
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
