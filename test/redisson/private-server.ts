import { inject } from 'vitest'
import { Holdfast, type HoldfastOptions, type RedisClient } from '../../src/index.js'
import { bringServer, type Server } from '../servers/index.js'
import { standaloneClient } from '../setup/clients.js'

/** A server of a test file's own, which may be paused, restarted and counted on, and the clients made for it. */
export class PrivateServer {
  #holdfasts: Holdfast[] = []
  #clients: RedisClient[] = []

  private constructor(readonly server: Server) {}

  static async bring(): Promise<PrivateServer> {
    return new PrivateServer(await bringServer({ flavour: inject('servers').flavour }))
  }

  holdfast(options?: HoldfastOptions): Holdfast {
    const holdfast = new Holdfast(this.client(), options)
    this.#holdfasts.push(holdfast)
    return holdfast
  }

  client(): RedisClient {
    const { host, port } = this.server
    // Holdfast names its connections where the application names its own.
    const client = standaloneClient({ host, port, connectionName: 'application' })
    this.#clients.push(client)
    return client
  }

  /** Asks the server as a bystander. */
  async ask(command: string, ...args: Array<string | number>): Promise<unknown> {
    const client = standaloneClient({ host: this.server.host, port: this.server.port })
    try {
      return await client.call(command, ...args)
    } finally {
      client.disconnect()
    }
  }

  /** How often the server has run a command since it started. */
  async calls(command: string): Promise<number> {
    const statistics = String(await this.ask('INFO', 'commandstats'))
    return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(statistics)?.[1] ?? 0)
  }

  /** Closes what was made since the last call, and fails if a `Holdfast` has left anything alive. */
  async tidy(): Promise<void> {
    await this.server.resume()
    const holdfasts = this.#holdfasts.splice(0)
    await Promise.all(holdfasts.map((holdfast) => holdfast.close()))
    for (const client of this.#clients.splice(0)) client.disconnect()
    for (const { census } of holdfasts) {
      const left = Object.entries(census).filter(([, count]) => count > 0)
      if (left.length > 0) throw new Error(`left alive after close: ${JSON.stringify(left)}`)
    }
  }

  async stop(): Promise<void> {
    await this.server.stop()
  }
}
