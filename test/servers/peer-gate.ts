import { connect, createServer, type Server, type Socket } from 'node:net'
import { listen } from './port.js'

/** Who opens a connection, by the first bytes of it, and what goes on of them; undefined: that takes more bytes. */
export type ReadHead = (head: Buffer) => { readonly from: string; readonly head: Buffer } | undefined

const PATIENCE_MS = 1_000
const AGAIN_MS = 20

type Passage = { readonly from: string; readonly sockets: readonly [Socket, Socket] }

export class PeerGate {
  readonly #passages = new Set<Passage>()

  private constructor(
    private readonly listener: Server,
    readonly port: number,
    private readonly target: number,
    private readonly readHead: ReadHead,
    private readonly admits: (from: string) => boolean,
  ) {
    listener.on('connection', (socket) => this.#accept(socket))
  }

  static async before(
    target: number,
    readHead: ReadHead,
    admits: (from: string) => boolean,
  ): Promise<PeerGate> {
    const listener = createServer()
    return new PeerGate(listener, await listen(listener), target, readHead, admits)
  }

  review(): void {
    for (const { from, sockets } of this.#passages)
      if (!this.admits(from)) for (const socket of sockets) socket.destroy()
  }

  stop(): void {
    this.listener.close()
    for (const { sockets } of this.#passages) for (const socket of sockets) socket.destroy()
  }

  #accept(socket: Socket): void {
    let heard = Buffer.alloc(0)
    const read = (bytes: Buffer): void => {
      heard = Buffer.concat([heard, bytes])
      const known = this.readHead(heard)
      if (!known) return
      socket.off('data', read)
      socket.pause()
      this.#lead(socket, known.from, known.head)
    }
    socket.on('data', read)
    socket.on('error', () => undefined)
  }

  /**
   * A member that does not listen yet refuses, and a peer that connects directly asks again a moment later. Behind a gate the peer is
   * connected already and would take the end of that connection for the end of the member, so the gate asks again itself.
   * @param until when the gate gives up a member that refuses
   */
  #lead(socket: Socket, from: string, head: Buffer, until = performance.now() + PATIENCE_MS): void {
    if (!this.admits(from) || socket.destroyed) {
      socket.destroy()
      return
    }
    const onward = connect(this.target, '127.0.0.1')
    // As a server's own connections to another are: what is small waits for no acknowledgement.
    for (const each of [socket, onward]) each.setNoDelay(true)
    const passage: Passage = { from, sockets: [socket, onward] }
    this.#passages.add(passage)
    let refused = true
    onward.on('error', () => undefined)
    onward.on('connect', () => {
      refused = false
      onward.write(head)
      socket.pipe(onward)
      onward.pipe(socket)
    })
    onward.on('close', () => {
      this.#passages.delete(passage)
      if (!refused || performance.now() >= until) socket.destroy()
      else setTimeout(() => this.#lead(socket, from, head, until), AGAIN_MS)
      socket.off('close', end)
    })
    const end = (): void => void onward.destroy()
    socket.on('close', end)
  }
}
