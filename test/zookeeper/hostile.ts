import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { Frames } from '../../src/stores/zookeeper/client/frames.js'
import { JuteWriter } from '../../src/stores/zookeeper/client/jute.js'
import { listen } from '../servers/port.js'

/** What such a server sends: bytes with their length, or nothing. `undefined` ends the connection. */
export interface Manners {
  welcome(session: bigint): Buffer | undefined
  /** @param xid the number of the request; the first on a connection has `at` 0 */
  answer(request: { readonly xid: number; readonly type: number; readonly at: number }): Buffer | undefined
}

export const SESSION = 42n
export const NOTHING = Buffer.alloc(0)

/** A welcome to a session of that time. */
export function welcome(timeoutMs: number, session = SESSION, password = Buffer.alloc(16)): Buffer {
  return new JuteWriter().int(0).int(timeoutMs).long(session).buffer(password).bool(false).frame()
}

/** The header of an answer, and then whatever it writes. */
export function answer(
  xid: number,
  body: (out: JuteWriter) => JuteWriter = (out) => out,
  code = 0,
  zxid = 1n,
): Buffer {
  return body(new JuteWriter().int(xid).long(zxid).int(code)).frame()
}

/** Speaks as much of ZooKeeper's protocol as a client needs to be misled. */
export class HostileServer {
  /** How many connections came. */
  connections = 0
  /** How many requests came. */
  requests = 0
  /** What the clients had seen, as they say when they connect. */
  readonly seen: bigint[] = []
  readonly #sockets = new Set<Socket>()

  private constructor(
    private readonly listener: Server,
    readonly address: string,
    public manners: Manners,
  ) {
    listener.on('connection', (socket) => this.#accept(socket))
  }

  static async start(manners: Manners): Promise<HostileServer> {
    const listener = createServer()
    return new HostileServer(listener, `127.0.0.1:${await listen(listener)}`, manners)
  }

  sendAll(bytes: Buffer): void {
    for (const socket of this.#sockets) socket.write(bytes)
  }

  breakAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    this.breakAll()
    const closed = once(this.listener, 'close')
    this.listener.close()
    await closed
  }

  #accept(socket: Socket): void {
    this.connections += 1
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => this.#sockets.delete(socket))
    const send = (bytes: Buffer | undefined): void => {
      if (bytes) socket.write(bytes)
      else socket.destroy()
    }
    let frames = 0
    const read = new Frames((frame) => {
      frames += 1
      if (frames === 1) {
        this.seen.push(frame.readBigInt64BE(4))
        send(this.manners.welcome(frame.readBigInt64BE(16)))
        return
      }
      this.requests += 1
      send(this.manners.answer({ xid: frame.readInt32BE(0), type: frame.readInt32BE(4), at: frames - 2 }))
    })
    socket.on('data', (chunk) => read.push(chunk))
  }
}
