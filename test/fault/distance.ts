import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A longer way to a server, on the loopback interface: every byte takes half the round trip's time in each direction, in order. */
export class Distance {
  readonly host = '127.0.0.1'
  readonly #sockets = new Set<Socket>()

  private constructor(
    private readonly listener: Server,
    readonly port: number,
  ) {}

  static async to(server: { host: string; port: number }, roundTripMs: number): Promise<Distance> {
    const listener = createServer()
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const address = listener.address()
    if (typeof address !== 'object' || address === null) throw new Error('no port')
    const distance = new Distance(listener, address.port)
    listener.on('connection', (near) => {
      const far = connect({ host: server.host, port: server.port })
      distance.#pass(near, far, roundTripMs / 2)
      distance.#pass(far, near, roundTripMs / 2)
    })
    return distance
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    const closed = once(this.listener, 'close')
    this.listener.close()
    await closed
  }

  #pass(from: Socket, to: Socket, afterMs: number): void {
    this.#sockets.add(from)
    from.setNoDelay(true)
    from.on('data', (chunk) => setTimeout(() => to.writable && to.write(chunk), afterMs))
    from.on('error', () => undefined)
    from.on('close', () => {
      this.#sockets.delete(from)
      setTimeout(() => to.destroy(), afterMs)
    })
  }
}
