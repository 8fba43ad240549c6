import { ask } from './admin.js'
import { findWay, type Order } from './find.js'
import { LaunchedServer, type Plan } from './launched.js'
import { untilFollows } from './replication.js'
import type { Server } from './server.js'
import { orUndo, until } from './until.js'

/** A primary, its replica and the three sentinels that watch them. */
export interface SentinelGroup {
  readonly sentinels: { host: string; port: number }[]
  readonly name: 'mymaster'
  /** The primary, as of the start or of the last {@link SentinelGroup.failover}. */
  readonly primary: Server
  readonly replica: Server
  /**
   * Has the sentinel make the replica the primary, without loss of what was written before; resolves when both have
   * changed their parts. For a failover with loss, kill the primary.
   */
  failover(): Promise<void>
  stop(): Promise<void>
}

export interface SentinelOrder extends Order {
  readonly args?: readonly string[]
}

const NAME = 'mymaster'
const SENTINELS = 3
const QUORUM = 2

/** Brings a sentinel group on the loopback interface; resolves when a failover would succeed. */
export async function bringSentinel({
  flavour = 'any',
  prefer,
  args = [],
}: SentinelOrder = {}): Promise<SentinelGroup> {
  const way = await findWay({ wanted: flavour, group: true }, prefer)
  const all: LaunchedServer[] = []
  const start = async (plan: Omit<Plan, 'way'>): Promise<LaunchedServer> => {
    const server = await LaunchedServer.start({ way, ...plan })
    all.push(server)
    return server
  }
  const stop = async (): Promise<void> => {
    await Promise.all(all.map((server) => server.stop()))
  }
  return await orUndo(stop, async () => {
    let primary = await start({ args })
    let replica = await start({ args: ['--replicaof', primary.host, String(primary.port), ...args] })
    // A sentinel asks a primary for its replicas once at first, and then not for ten seconds.
    await untilFollows(replica, primary)
    const files = { 'sentinel.conf': configuration(primary) }
    const sentinels = await Promise.all(
      Array.from({ length: SENTINELS }, () => start({ sentinel: 'sentinel.conf', files })),
    )
    // Only the one that will lead: others that looked as often would undo a promotion before they have heard of it.
    await Promise.all(sentinels.slice(0, 1).map(hasten))
    const what = 'each sentinel knows the replica and the other sentinels'
    await Promise.all(sentinels.map((sentinel) => until(() => knowsGroup(sentinel), { what })))
    return {
      name: NAME,
      sentinels: sentinels.map(({ host, port }) => ({ host, port })),
      get primary() {
        return primary
      },
      get replica() {
        return replica
      },
      async failover() {
        await promote(sentinels, replica, primary)
        ;[primary, replica] = [replica, primary]
      },
      stop,
    }
  })
}

function configuration({ host, port }: Server): string {
  return [
    `sentinel monitor ${NAME} ${host} ${port} ${QUORUM}`,
    `sentinel down-after-milliseconds ${NAME} 2000`,
    `sentinel failover-timeout ${NAME} 10000`,
    `sentinel parallel-syncs ${NAME} 1`,
    '',
  ].join('\n')
}

/** Has the sentinel look ten times a second, where it would by itself once a second or less often. */
async function hasten(sentinel: Server): Promise<void> {
  await ask(sentinel, 'SENTINEL', 'DEBUG', 'INFO-PERIOD', 100, 'PING-PERIOD', 100, 'PUBLISH-PERIOD', 100)
}

async function knowsGroup(sentinel: Server): Promise<boolean> {
  const replicas = JSON.stringify(await ask(sentinel, 'SENTINEL', 'REPLICAS', NAME))
  const group = JSON.stringify(await ask(sentinel, 'SENTINEL', 'MASTER', NAME))
  return (
    replicas.includes('"master-link-status","ok"') &&
    group.includes(`"num-other-sentinels","${SENTINELS - 1}"`)
  )
}

async function promote(sentinels: readonly Server[], next: Server, last: Server): Promise<void> {
  // Replication is asynchronous: a failover now would drop what has not arrived yet.
  await untilFollows(next, last)
  // Refused while the sentinel is not done with the failover before, or has yet to hear from the replica.
  const what = 'the sentinel takes up the failover'
  await until(async () => (await ask(sentinels[0], 'SENTINEL', 'FAILOVER', NAME)) === 'OK', { what })
  // A client may ask any of them.
  const named = async (sentinel: Server): Promise<boolean> =>
    String(await ask(sentinel, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)).endsWith(`,${next.port}`)
  await Promise.all(
    sentinels.map((each) => until(() => named(each), { what: 'every sentinel names the new primary' })),
  )
  await untilFollows(last, next)
}
