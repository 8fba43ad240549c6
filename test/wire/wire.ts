import { connect, createServer, type Server, type Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { listen } from '../servers/port.js'
import { type Direction, Strand, type Weather } from './strand.js'

export interface Endpoint {
  readonly host: string
  readonly port: number
}

/** Stands between clients and a server on the loopback interface, and does to what passes what networks do. */
export abstract class WireOf<Each extends Strand> implements Weather {
  readonly host = '127.0.0.1'
  /** Every connection there was, the oldest first. */
  readonly connections: Each[] = []
  readonly silent = new Set<Direction>()
  delayMs = 0
  refused = 0
  #refusing = false
  #blackHole = false

  constructor(
    public target: Endpoint,
    private readonly listener: Server,
    readonly port: number,
  ) {
    const event = listener instanceof TlsServer ? 'secureConnection' : 'connection'
    listener.on(event, (socket: Socket) => this.#accept(socket))
  }

  static async before<Made>(
    this: new (
      target: Endpoint,
      listener: Server,
      port: number,
    ) => Made,
    { host, port }: Endpoint,
    listener: Server = createServer({ allowHalfOpen: true }),
  ): Promise<Made> {
    return new this({ host, port }, listener, await listen(listener))
  }

  protected abstract strand(index: number, client: Socket, server: Socket): Each

  get address(): string {
    return `${this.host}:${this.port}`
  }

  get open(): readonly Each[] {
    return this.connections.filter(({ closed }) => !closed)
  }

  redirect({ host, port }: Endpoint): void {
    this.target = { host, port }
  }

  breakAll(): void {
    for (const connection of this.connections) connection.break()
  }

  refuse(): void {
    this.#refusing = true
  }

  /** Nothing passes in these directions until {@link heal}, and nobody is told, not even of an end. */
  silence(...directions: Direction[]): void {
    for (const direction of directions) this.silent.add(direction)
  }

  /** The connections that stand fall silent for good; new ones are as good as ever. */
  hush(): void {
    for (const connection of this.connections) connection.silence()
  }

  /** Nothing passes on any connection, old or new. Those made before it ends stay silent. */
  blackHole(): void {
    this.#blackHole = true
    this.hush()
  }

  /** New connections are as good as ever. What was sent during a silence is delivered late, or lost with its connections. */
  heal(held: 'delivered' | 'lost' = 'delivered'): void {
    const wasSilent = this.silent.size > 0
    this.#refusing = false
    this.#blackHole = false
    this.silent.clear()
    this.delayMs = 0
    if (wasSilent && held === 'lost') this.breakAll()
    else for (const connection of this.connections) connection.deliverHeld()
  }

  async stop(): Promise<void> {
    this.breakAll()
    await new Promise((resolve) => this.listener.close(resolve))
  }

  #accept(client: Socket): void {
    if (this.#refusing) {
      this.refused += 1
      client.destroy()
      return
    }
    const server = connect({ ...this.target, allowHalfOpen: true })
    const connection = this.strand(this.connections.length, client, server)
    this.connections.push(connection)
    if (this.#blackHole) connection.silence()
  }
}

/** One that reads nothing of what passes. */
export class Wire extends WireOf<Strand> {
  protected strand(index: number, client: Socket, server: Socket): Strand {
    return new Strand(index, client, server, this)
  }
}
