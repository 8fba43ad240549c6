import { connect } from 'node:net'
import { MemcachedServer } from '../../test/servers/memcached.js'
import { processCpuMs } from './process-cpu.js'
import type { ServerSide, ServerTraffic } from './server-side.js'

/** The memcached that is measured. It counts commands itself. */
export class MemcachedSide implements ServerSide {
  #before = 0

  private constructor(
    readonly server: MemcachedServer,
    readonly version: string,
  ) {}

  static async bring(): Promise<MemcachedSide> {
    const server = await MemcachedServer.start()
    const version = /VERSION (\S+)/.exec(await ask(server, 'version'))?.[1] ?? ''
    return new MemcachedSide(server, `memcached ${version}`)
  }

  async clear(): Promise<void> {
    await ask(this.server, 'flush_all')
  }

  async resetCounters(): Promise<void> {
    this.#before = await this.#commands()
  }

  cpuMs(): Promise<number | undefined> {
    return processCpuMs(this.server.pid)
  }

  async traffic(): Promise<ServerTraffic> {
    return { commands: (await this.#commands()) - this.#before }
  }

  async close(): Promise<void> {
    await this.server.stop()
  }

  async #commands(): Promise<number> {
    const stats = await ask(this.server, 'stats')
    const counts = stats.matchAll(/^STAT (?:cmd_get|cmd_set|cmd_touch|delete_hits|delete_misses) (\d+)/gm)
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
  }
}

async function ask({ host, port }: MemcachedServer, command: string): Promise<string> {
  const socket = connect(port, host)
  socket.write(`${command}\r\nquit\r\n`)
  let said = ''
  for await (const bytes of socket) said += String(bytes)
  return said
}
