import { Redis } from 'ioredis5'
import { inject, onTestFinished } from 'vitest'
import { Holdfast, type HoldfastOptions } from '../../src/index.js'
import { slotOf } from '../../src/stores/redis/keys/slot.js'
import { bringCluster, type Cluster } from '../servers/index.js'
import { clusterClient, type MatrixLibrary } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'

/** A cluster whose slots can be moved. */
export class MovableCluster {
  readonly nodes: readonly Redis[]

  private constructor(private readonly cluster: Cluster) {
    this.nodes = cluster.nodes.map(({ host, port }) => new Redis({ host, port }))
  }

  static async bring(replicated = false): Promise<MovableCluster> {
    return new MovableCluster(await bringCluster({ flavour: inject('servers').flavour, replicated }))
  }

  /** Another process's client, in effect; it ends with the test. */
  holdfast(options: HoldfastOptions = {}, library?: MatrixLibrary): Holdfast {
    const client = clusterClient(this.cluster.startupNodes, {}, library)
    const holdfast = new Holdfast(client, { storeTimeoutMs: 60_000, ...options })
    onTestFinished(async () => {
      await holdfast.close()
      client.disconnect()
    })
    return holdfast
  }

  async end(): Promise<void> {
    for (const node of this.nodes) node.disconnect()
    await this.cluster.stop()
  }

  /** Begins to move the slot of that key. */
  move(name: string): Promise<SlotMove> {
    return SlotMove.of(name, this.nodes)
  }
}

/** A slot on its way from one node to the next. */
export class SlotMove {
  private constructor(
    private readonly slot: number,
    private readonly nodes: readonly Redis[],
    private readonly from: Redis,
    private readonly to: Redis,
  ) {}

  /** Begins to move the slot of that key away from where it is served. */
  static async of(name: string, nodes: readonly Redis[]): Promise<SlotMove> {
    const slot = slotOf(name)
    const from = await eventually(async () => {
      for (const node of nodes) {
        if ((await node.exists(name).catch(() => undefined)) !== undefined) return node
      }
      return undefined
    })
    const to = nodes.find((node) => node !== from)
    if (!from || !to) throw new Error('two nodes')
    const [fromId, toId] = [await from.call('CLUSTER', 'MYID'), await to.call('CLUSTER', 'MYID')]
    await to.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(fromId))
    await from.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(toId))
    return new SlotMove(slot, nodes, from, to)
  }

  /** The keys that have not moved yet. */
  async keys(): Promise<string[]> {
    const found = await this.from.call('CLUSTER', 'GETKEYSINSLOT', this.slot, 100)
    return Array.isArray(found) ? found.map(String).sort() : []
  }

  /** Moves those keys, and leaves the slot on its way. */
  async take(keys: readonly string[]): Promise<void> {
    const { host, port } = this.to.options
    for (const key of keys) await this.from.call('MIGRATE', String(host), String(port), key, 0, 5_000)
  }

  /** What the lock is down to, while it has not moved. */
  async raw(key: string): Promise<Record<string, string>> {
    return await this.from.hgetall(key)
  }

  async finish(): Promise<void> {
    await this.take(await this.keys())
    const id = String(await this.to.call('CLUSTER', 'MYID'))
    for (const node of [this.to, this.from, ...this.nodes])
      await node.call('CLUSTER', 'SETSLOT', this.slot, 'NODE', id)
  }
}
