import { ask, withAdmin } from './admin.js'
import { findWay, type Order } from './find.js'
import { LaunchedServer } from './launched.js'
import { freePort } from './port.js'
import type { Server } from './server.js'
import { orUndo, until } from './until.js'

const SLOTS = 16_384
const MASTERS = 3

/** A cluster of masters, which share the slots in equal parts, in order. */
export interface Cluster {
  readonly nodes: readonly Server[]
  readonly replicas: readonly Server[]
  readonly startupNodes: { host: string; port: number }[]
  stop(): Promise<void>
}

export interface ClusterOrder extends Order {
  /** Whether each master has a replica, or one of them. Default: false. */
  readonly replicated?: boolean | 'once'
  readonly args?: readonly string[]
}

/** Brings a cluster on the loopback interface; resolves when every node calls it sound. */
export async function bringCluster({
  flavour = 'any',
  prefer,
  replicated = false,
  args = [],
}: ClusterOrder = {}): Promise<Cluster> {
  const way = await findWay({ wanted: flavour, group: true }, prefer)
  const started = await Promise.allSettled(
    Array.from({ length: MASTERS + (replicated === 'once' ? 1 : replicated ? MASTERS : 0) }, async () => {
      const bus = await freePort()
      const node = await LaunchedServer.start({ way, args: [...nodeArguments(bus), ...args] })
      return { node, bus }
    }),
  )
  const members = started.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  const all = members.map(({ node }) => node)
  const [nodes, replicas] = [all.slice(0, MASTERS), all.slice(MASTERS)]
  const stop = async (): Promise<void> => {
    await Promise.all(all.map((node) => node.stop()))
  }
  return await orUndo(stop, async () => {
    for (const outcome of started) if (outcome.status === 'rejected') throw outcome.reason
    // A node takes its epoch only while it knows no other, so the introductions come after all of that.
    await Promise.all(nodes.map(giveSlots))
    await Promise.all(all.map((node) => introduce(node, members)))
    await Promise.all(all.map(untilSound))
    await Promise.all(replicas.map((replica, index) => follow(replica, nodes[index])))
    // They vote for replicas only.
    await Promise.all(all.map((node) => untilReplicated(node, replicas.length)))
    return { nodes, replicas, startupNodes: nodes.map(({ host, port }) => ({ host, port })), stop }
  })
}

function nodeArguments(bus: number): string[] {
  return [
    ...['--cluster-enabled', 'yes', '--cluster-port', String(bus)],
    ...['--cluster-announce-ip', '127.0.0.1', '--cluster-node-timeout', '5000'],
  ]
}

type Member = { readonly node: Server; readonly bus: number }

async function giveSlots(node: Server, index: number): Promise<void> {
  const first = Math.floor((SLOTS * index) / MASTERS)
  const last = Math.floor((SLOTS * (index + 1)) / MASTERS) - 1
  await ask(node, 'CLUSTER', 'SET-CONFIG-EPOCH', index + 1)
  await ask(node, 'CLUSTER', 'ADDSLOTSRANGE', first, last)
}

/** Every node is introduced to every other: hearing of each other by gossip would take seconds. */
async function introduce(node: Server, members: readonly Member[]): Promise<void> {
  for (const other of members)
    if (other.node !== node) await ask(node, 'CLUSTER', 'MEET', other.node.host, other.node.port, other.bus)
}

async function follow(replica: Server, master: Server | undefined): Promise<void> {
  const id = String(await ask(master, 'CLUSTER', 'MYID'))
  await untilTold(replica, 'takes up following', ['CLUSTER', 'REPLICATE', id], (told) => told === 'OK')
  await untilLinked(replica)
}

export function untilLinked(replica: Server): Promise<void> {
  const linked = (told: string): boolean => told.includes('master_link_status:up')
  return untilTold(replica, 'follows its master', ['INFO', 'replication'], linked)
}

async function untilReplicated(node: Server, replicas: number): Promise<void> {
  const replicated = (told: string): boolean => told.split(/[ ,]slave[ ,]/).length > replicas
  await untilTold(node, 'knows every replica', ['CLUSTER', 'NODES'], replicated)
}

async function untilSound(node: Server): Promise<void> {
  const sound = (told: string): boolean =>
    told.includes('cluster_state:ok') && told.includes(`cluster_size:${MASTERS}`)
  await untilTold(node, 'takes the cluster for sound', ['CLUSTER', 'INFO'], sound)
}

/** Sends the command again and again, over one connection, until what the node says will do. */
export async function untilTold(
  node: Server,
  what: string,
  [name, ...words]: readonly [string, ...string[]],
  does: (told: string) => boolean,
): Promise<void> {
  const about = { what: `the node on port ${node.port} ${what}` }
  await withAdmin(node, (command) => until(async () => does(String(await command(name, ...words))), about))
}
