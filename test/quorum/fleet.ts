import { inject } from 'vitest'
import { Holdfast, type HoldfastOptions, type RedisClient } from '../../src/index.js'
import { type QuorumOptions, quorum } from '../../src/stores/quorum/quorum.js'
import { bringServer, type Server } from '../servers/index.js'
import { standaloneClient } from '../setup/clients.js'
import { eventually } from '../setup/eventually.js'
import { lasting } from '../setup/lasting.js'

let names = 0

/** Short, so that what waits for a server in vain does not do so for long. */
export const TIMES = {
  get commandTimeoutMs() {
    return lasting(400)
  },
  get storeTimeoutMs() {
    return lasting(2_000)
  },
}

/** Servers of a test file's own, which know nothing of each other, and clients of the quorum they form. */
export class Fleet {
  readonly #clients: RedisClient[] = []
  #made: Holdfast[] = []

  private constructor(readonly servers: readonly Server[]) {}

  static async bring(count: number): Promise<Fleet> {
    const { flavour } = inject('servers')
    return new Fleet(await Promise.all(Array.from({ length: count }, () => bringServer({ flavour }))))
  }

  server(index: number): Server {
    const server = this.servers[index]
    if (!server) throw new Error(`no server ${index}`)
    return server
  }

  lockName(): string {
    names += 1
    return `quorum:${process.pid}:${names}`
  }

  client(index: number, options: object = {}): RedisClient {
    const { host, port } = this.server(index)
    const client = standaloneClient({ ...options, host, port })
    this.#clients.push(client)
    return client
  }

  /** Another process's client, in effect. */
  holdfast(options: HoldfastOptions = {}, quorumOptions: QuorumOptions = {}, client: object = {}): Holdfast {
    const members = this.servers.map((_, index) => this.client(index, client))
    return this.keep(new Holdfast(quorum(members, quorumOptions), options))
  }

  /** Ends it with the others. */
  keep(holdfast: Holdfast): Holdfast {
    this.#made.push(holdfast)
    return holdfast
  }

  /** Whose vote that server has cast, as it has it; 'away' where it does not answer. */
  async vote(index: number, name: string): Promise<string | undefined> {
    const { host, port } = this.server(index)
    const client = standaloneClient({ host, port, retryStrategy: () => null, commandTimeout: 500 })
    try {
      const fields = await client.call('HKEYS', name)
      return Array.isArray(fields) ? fields.map(String).find((field) => field !== 'since') : undefined
    } catch {
      return 'away'
    } finally {
      client.disconnect()
    }
  }

  votes(name: string): Promise<Array<string | undefined>> {
    return Promise.all(this.servers.map((_, index) => this.vote(index, name)))
  }

  /** How many servers keep tickets of that lock. */
  async tickets(name: string): Promise<number> {
    const kept = await Promise.all(
      this.servers.map((_, index) => this.client(index).call('EXISTS', `holdfast_tickets:{${name}}`)),
    )
    return kept.map(Number).reduce((sum, each) => sum + each, 0)
  }

  /** Waits until nobody has a vote or a ticket, and nothing is alive in any client. */
  async nothingLeft(name: string): Promise<void> {
    await eventually(
      () => this.votes(name),
      (votes) => votes.every((vote) => vote === undefined),
    )
    await eventually(async () => (await this.tickets(name)) === 0)
    for (const holdfast of this.#made) {
      await eventually(
        () => Object.entries(holdfast.census).filter(([, count]) => count > 0),
        (left) => left.length === 0,
      )
    }
  }

  /** All servers as they were in the beginning, and no clients. */
  async tidy(): Promise<void> {
    for (const server of this.servers) await server.resume()
    await Promise.all(this.#made.splice(0).map((holdfast) => holdfast.close()))
    for (const client of this.#clients.splice(0)) client.disconnect()
    for (const server of this.servers) if (server.pid === undefined) await server.restart({ keepData: false })
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()))
  }
}
