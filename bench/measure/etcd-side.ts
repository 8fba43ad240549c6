import { EtcdServer } from '../../test/servers/etcd/index.js'
import { processCpuMs } from './process-cpu.js'
import type { ServerSide, ServerTraffic } from './server-side.js'

/** The etcd that is measured: one server, whose commits are on the disk. It counts messages and events itself. */
export class EtcdSide implements ServerSide {
  #before = { messages: 0, events: 0 }

  private constructor(
    readonly server: EtcdServer,
    readonly version: string,
  ) {}

  static async bring(): Promise<EtcdSide> {
    const server = await EtcdServer.start({ fsync: true })
    const told = await (await fetch(`${server.url}/version`)).text()
    return new EtcdSide(server, `etcd ${/"etcdserver":"([^"]+)"/.exec(told)?.[1] ?? ''}`)
  }

  /** Keys end with their leases. What is left of them in the history would cost the next cell something. */
  async clear(): Promise<void> {
    await this.server.ctl('del', '', '--prefix')
    const status = await this.server.ctl('endpoint', 'status', '--write-out=json')
    const revision = /"revision":(\d+)/.exec(status)?.[1] ?? '1'
    // Refused where nothing has happened since the last time.
    await this.server.ctl('compact', revision, '--physical').catch(() => undefined)
  }

  async resetCounters(): Promise<void> {
    this.#before = await this.#counters()
  }

  cpuMs(): Promise<number | undefined> {
    return processCpuMs(this.server.pid)
  }

  async traffic(): Promise<ServerTraffic> {
    const { messages, events } = await this.#counters()
    return { commands: messages - this.#before.messages, messages: events - this.#before.events }
  }

  async close(): Promise<void> {
    await this.server.stop()
  }

  async #counters(): Promise<{ messages: number; events: number }> {
    const metrics = await (await fetch(`${this.server.url}/metrics`)).text()
    const sum = (name: string): number =>
      [...metrics.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].reduce(
        (total, [, value]) => total + Number(value),
        0,
      )
    return {
      messages: sum('grpc_server_msg_received_total'),
      events: sum('etcd_debugging_mvcc_events_total'),
    }
  }
}
