import { connect, createServer, type Server, type Socket } from 'node:net'
import { listen } from '../../servers/port.js'
import type { Endpoint } from '../order.js'

export type Direction = 'up' | 'down'

type UnderWay = Array<{ readonly dueAt: number; readonly pass: () => void }>

interface Strand {
  readonly client: Socket
  readonly server: Socket
  /** What waits for a silence to end. */
  readonly held: Array<() => void>
  /** What is on its way in each direction, first in, first out: its delay may change, its order must not. */
  readonly underWay: Readonly<Record<Direction, UnderWay>>
  /** Whether nothing passes any more, for good. */
  hushed: boolean
}

/** What stands between one worker and one server on the loopback interface, and does to bytes what networks do. */
export class Wire {
  readonly host = '127.0.0.1'
  /** For how long bytes are on their way, in each direction. */
  delayMs = 0
  #refusing = false
  readonly #silent = new Set<Direction>()
  readonly #strands = new Set<Strand>()

  #target: Endpoint

  private constructor(
    target: Endpoint,
    private readonly listener: Server,
    readonly port: number,
  ) {
    this.#target = target
    listener.on('connection', (socket) => this.#accept(socket))
  }

  static async before({ host, port }: Endpoint, delayMs = 0): Promise<Wire> {
    const listener = createServer()
    const wire = new Wire({ host, port }, listener, await listen(listener))
    wire.delayMs = delayMs
    return wire
  }

  get target(): Endpoint {
    return this.#target
  }

  get connections(): number {
    return this.#strands.size
  }

  /** Leads to another server from now on, as an address does that moves; what is connected ends. */
  leadTo({ host, port }: Endpoint): void {
    this.#target = { host, port }
    this.cut()
  }

  cut(): void {
    for (const { client, server } of this.#strands) {
      client.destroy()
      server.destroy()
    }
  }

  refuse(): void {
    this.#refusing = true
    this.cut()
  }

  /** Nothing passes in these directions, and nobody is told, not even of an end. */
  silence(...directions: Direction[]): void {
    for (const direction of directions) this.#silent.add(direction)
  }

  /** The connections that stand fall silent for good, and nobody is told; new ones are as good as ever. */
  hush(): void {
    for (const strand of this.#strands) strand.hushed = true
  }

  /** All is well again. What was sent during a silence is delivered late, or lost with its connections. */
  heal(held: 'delivered' | 'lost'): void {
    const wasSilent = this.#silent.size > 0
    this.#refusing = false
    this.#silent.clear()
    this.delayMs = 0
    if (!wasSilent) return
    if (held === 'lost') this.cut()
    else for (const strand of this.#strands) for (const pass of strand.held.splice(0)) pass()
  }

  stop(): void {
    this.listener.close()
    this.cut()
  }

  #accept(client: Socket): void {
    if (this.#refusing) {
      client.resetAndDestroy()
      return
    }
    const server = connect(this.target)
    const strand: Strand = { client, server, held: [], underWay: { up: [], down: [] }, hushed: false }
    this.#strands.add(strand)
    this.#lead('up', client, server, strand)
    this.#lead('down', server, client, strand)
  }

  #lead(direction: Direction, from: Socket, to: Socket, strand: Strand): void {
    from.setNoDelay(true)
    from.on('data', (chunk) => this.#pass(direction, strand, () => to.write(chunk)))
    from.on('error', () => undefined)
    from.on('close', () =>
      this.#pass(direction, strand, () => {
        to.destroySoon()
        if (from.destroyed && to.destroyed) this.#strands.delete(strand)
      }),
    )
  }

  #pass(direction: Direction, { held, hushed, underWay }: Strand, pass: () => void): void {
    if (hushed) return
    const send = (): void => this.#send(underWay[direction], pass)
    if (this.#silent.has(direction) || held.length > 0) held.push(send)
    else send()
  }

  #send(underWay: UnderWay, pass: () => void): void {
    const now = performance.now()
    const dueAt = Math.max(now + this.delayMs, underWay.at(-1)?.dueAt ?? 0)
    if (underWay.length === 0 && dueAt <= now) {
      pass()
      return
    }
    underWay.push({ dueAt, pass })
    // Whichever timer fires, what was sent first passes first.
    setTimeout(() => underWay.shift()?.pass(), dueAt - now)
  }
}
