import type { Socket } from 'node:net'
import { frameReader, HEAD, JuteWriter } from '../../src/stores/zookeeper/client/jute.js'
import { type StandIn, standIn } from '../servers/stand-in.js'

/** What such a server sends: bytes with their length, or nothing. `undefined` ends the connection. */
export interface Manners {
  welcome(session: bigint): Buffer | undefined
  /** @param xid the number of the request; the first on a connection has `at` 0 */
  answer(request: { readonly xid: number; readonly type: number; readonly at: number }): Buffer | undefined
}

export const SESSION = 42n
export const NOTHING = Buffer.alloc(0)

/** Welcomes, and answers each request with nothing but its header. */
export const GOOD: Manners = { welcome: () => welcome(30_000), answer: ({ xid }) => answer(xid) }

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

  /** How many connections stand. */
  get open(): number {
    return this.#stand?.open.size ?? 0
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
    let at = -1
    const replyTo = (frame: Buffer): Buffer | undefined => {
      if (at >= 0) this.requests += 1
      else this.seen.push(frame.readBigInt64BE(4))
      return at < 0
        ? this.manners.welcome(frame.readBigInt64BE(16))
        : this.manners.answer({ xid: frame.readInt32BE(0), type: frame.readInt32BE(4), at })
    }
    const reader = frameReader()
    socket.on('data', (chunk) => {
      for (const frame of reader.read(chunk)) {
        const bytes = replyTo(frame.subarray(HEAD))
        at += 1
        if (bytes) socket.write(bytes)
        else socket.destroy()
      }
    })
  }
}
