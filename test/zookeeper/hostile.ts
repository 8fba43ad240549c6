import type { Socket } from 'node:net'
import { Frames } from '../../src/stores/zookeeper/client/frames.js'
import { JuteWriter } from '../../src/stores/zookeeper/client/jute.js'
import { type StandIn, standIn } from '../servers/stand-in.js'

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
  #stand: StandIn | undefined

  private constructor(public manners: Manners) {}

  static async start(manners: Manners): Promise<HostileServer> {
    const server = new HostileServer(manners)
    server.#stand = await standIn((socket) => server.#accept(socket))
    return server
  }

  get address(): string {
    return this.#stand?.address ?? ''
  }

  sendAll(bytes: Buffer): void {
    for (const socket of this.#stand?.open ?? []) socket.write(bytes)
  }

  breakAll(): void {
    for (const socket of this.#stand?.open ?? []) socket.destroy()
  }

  async stop(): Promise<void> {
    this.#stand?.stop()
  }

  #accept(socket: Socket): void {
    this.connections += 1
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
