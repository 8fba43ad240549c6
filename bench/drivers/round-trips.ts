import { Socket } from 'node:net'

/**
 * Counts how often this process sends something to a server and has to wait for its answer, over whichever of its connections: what is
 * sent before an answer comes is one round trip.
 */
export class RoundTrips {
  readonly #waiting = new WeakSet<Socket>()
  #count = 0

  constructor(ports: readonly number[]) {
    const { write, push } = Socket.prototype
    const counter = this
    Socket.prototype.write = function (this: Socket, ...args: readonly unknown[]): boolean {
      if (this.remotePort !== undefined && ports.includes(this.remotePort)) counter.#sent(this)
      return Reflect.apply(write, this, args)
    }
    Socket.prototype.push = function (this: Socket, ...args: Parameters<typeof push>) {
      counter.#waiting.delete(this)
      return push.apply(this, args)
    }
  }

  get count(): number {
    return this.#count
  }

  #sent(socket: Socket): void {
    if (this.#waiting.has(socket)) return
    this.#waiting.add(socket)
    this.#count += 1
  }
}
