import { ZooKeeperEnsemble, ZooKeeperServer } from '../../test/servers/zookeeper/index.js'
import { Wire } from '../../test/wire/wire.js'
import { processCpuMs } from './process-cpu.js'
import type { ServerSide, ServerTraffic } from './server-side.js'

/** What is acknowledged is on the disk, and ticks and sessions are as in any installation. */
const ORDER = {
  settings: { tickTime: 2_000, minSessionTimeout: 1_000, maxSessionTimeout: 120_000 },
  properties: { 'zookeeper.forceSync': 'yes' },
}
const DELAY_MS = 1

/** The ZooKeeper that is measured: one server, or three that a delay lies before. It counts packets and events itself. */
export class ZooKeeperSide implements ServerSide {
  #before = { packets: 0, events: 0 }

  private constructor(
    private readonly members: readonly ZooKeeperServer[],
    /** As clients are told of them. */
    readonly servers: readonly string[],
    readonly version: string,
    private readonly stop: () => Promise<void>,
  ) {}

  static async bring(): Promise<ZooKeeperSide> {
    const server = await ZooKeeperServer.start(ORDER)
    return new ZooKeeperSide([server], [server.address], await versionOf(server), () => server.stop())
  }

  /** Requests and answers are each a millisecond on their way. */
  static async bringThree(): Promise<ZooKeeperSide> {
    const ensemble = await ZooKeeperEnsemble.start(ORDER)
    const { members } = ensemble
    const wires = await Promise.all(members.map((member) => Wire.before(member)))
    for (const wire of wires) wire.delayMs = DELAY_MS
    const version = `${members[0] ? await versionOf(members[0]) : ''}, three servers 2 ms away`
    const servers = wires.map((wire) => `${wire.host}:${wire.port}`)
    return new ZooKeeperSide(members, servers, version, async () => {
      for (const wire of wires) wire.stop()
      await ensemble.stop()
    })
  }

  /** Nodes are those of sessions, and end with them. */
  async clear(): Promise<void> {}

  async resetCounters(): Promise<void> {
    this.#before = await this.#counters()
  }

  async cpuMs(): Promise<number | undefined> {
    let sum = 0
    for (const { pid } of this.members) {
      const spent = await processCpuMs(pid)
      if (spent === undefined) return undefined
      sum += spent
    }
    return sum
  }

  async traffic(): Promise<ServerTraffic> {
    const { packets, events } = await this.#counters()
    return { commands: packets - this.#before.packets, messages: events - this.#before.events }
  }

  async close(): Promise<void> {
    await this.stop()
  }

  async #counters(): Promise<{ packets: number; events: number }> {
    const all = (await Promise.all(this.members.map((member) => member.ask('mntr')))).join('\n')
    const sum = (name: string): number =>
      [...all.matchAll(new RegExp(`^zk_${name}\\s+(\\d+)`, 'gm'))].reduce(
        (total, [, value]) => total + Number(value),
        0,
      )
    return {
      packets: sum('packets_received'),
      events: sum('sum_node_(?:deleted|created|changed|children)_watch_count'),
    }
  }
}

async function versionOf(server: ZooKeeperServer): Promise<string> {
  return `ZooKeeper ${/version: ([\d.]+)/.exec(await server.ask('srvr'))?.[1] ?? ''}`
}
