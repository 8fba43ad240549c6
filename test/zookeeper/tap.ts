import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { Frames } from '../../src/stores/zookeeper/client/frames.js'
import { listen } from '../servers/port.js'

/** What clients ask, by ZooKeeper's numbers. */
const OPERATIONS: Readonly<Record<number, string>> = {
  [-11]: 'closeSession',
  2: 'delete',
  3: 'exists',
  4: 'getData',
  8: 'getChildren',
  9: 'sync',
  11: 'ping',
  14: 'multi',
  15: 'create',
  18: 'removeWatches',
  19: 'createContainer',
  100: 'authenticate',
  101: 'setWatches',
}

type Verdict = 'deliver' | 'drop and break' | 'drop and silence' | Buffer

interface Rule {
  readonly operation: string
  readonly verdict: Verdict
  readonly struck: () => void
}

/** One connection of a client through a {@link Tap}. */
interface Line {
  readonly client: Socket
  readonly server: Socket
  silent: boolean
}

/** Stands between clients and a server of ZooKeeper, reads what passes and does to it what networks do. */
export class Tap {
  readonly host = '127.0.0.1'
  /** What was asked, by all clients. */
  readonly asked: string[] = []
  /** How many events servers have told of. */
  events = 0
  readonly #lines = new Set<Line>()
  #rules: Rule[] = []
  #refusing = false
  #blackHole = false

  private constructor(
    private target: { readonly host: string; readonly port: number },
    private readonly listener: Server,
    readonly port: number,
  ) {
    listener.on('connection', (socket) => this.#accept(socket))
  }

  static async before(target: { readonly host: string; readonly port: number }): Promise<Tap> {
    const listener = createServer()
    return new Tap(target, listener, await listen(listener))
  }

  get address(): string {
    return `${this.host}:${this.port}`
  }

  /** How many connections stand. */
  get open(): number {
    return this.#lines.size
  }

  /** What is asked from now on. */
  tally(): { readonly asked: readonly string[]; readonly events: number } {
    const { asked, events } = this
    const from = asked.length
    const tap = this
    return {
      get asked() {
        return asked.slice(from)
      },
      get events() {
        return tap.events - events
      },
    }
  }

  /** The next reply to such an operation does not arrive, although it is carried out. Resolves when that has happened. */
  dropReply(operation: string, then: 'break' | 'silence' = 'break'): Promise<void> {
    return this.#strike(operation, `drop and ${then}`)
  }

  /** Something else arrives in place of the next reply to such an operation. */
  replaceReply(operation: string, frame: Buffer): Promise<void> {
    return this.#strike(operation, frame)
  }

  breakAll(): void {
    for (const line of this.#lines) end(line)
  }

  /** New connections end at once. */
  refuse(): void {
    this.#refusing = true
  }

  /** Nothing passes, on any connection, and nobody is told. */
  blackHole(): void {
    this.#blackHole = true
    for (const line of this.#lines) line.silent = true
  }

  /** New connections are as good as ever. */
  heal(): void {
    this.#refusing = false
    this.#blackHole = false
    this.#rules = []
  }

  /** New connections lead to another server. */
  redirect(target: { readonly host: string; readonly port: number }): void {
    this.target = target
  }

  async stop(): Promise<void> {
    this.breakAll()
    const closed = once(this.listener, 'close')
    this.listener.close()
    await closed
  }

  #strike(operation: string, verdict: Verdict): Promise<void> {
    return new Promise((struck) => this.#rules.push({ operation, verdict, struck }))
  }

  #accept(client: Socket): void {
    if (this.#refusing) {
      client.destroy()
      return
    }
    const line: Line = { client, server: connect(this.target), silent: this.#blackHole }
    const { server } = line
    this.#lines.add(line)
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        this.#lines.delete(line)
        // Whoever is in a black hole is not told either.
        if (!line.silent || socket === client) end(line)
      })
    }
    const asked = new Map<number, string>()
    // The first in each direction are greeting and welcome.
    const requests = new Frames(
      skippingFirst((frame) => {
        const [xid, operation] = [frame.readInt32BE(0), OPERATIONS[frame.readInt32BE(4)] ?? 'other']
        asked.set(xid, operation)
        this.asked.push(operation)
      }),
    )
    client.on('data', (chunk) => {
      if (line.silent) return
      requests.push(chunk)
      server.write(chunk)
    })
    let welcomed = false
    const replies = new Frames((frame) => {
      const verdict = welcomed ? this.#judge(frame, asked) : 'deliver'
      welcomed = true
      if (verdict === 'drop and break') return end(line)
      if (verdict === 'drop and silence') line.silent = true
      else if (!line.silent) client.write(framed(verdict === 'deliver' ? frame : verdict))
      return undefined
    })
    server.on('data', (chunk) => replies.push(chunk))
  }

  #judge(frame: Buffer, asked: ReadonlyMap<number, string>): Verdict {
    const xid = frame.readInt32BE(0)
    if (xid === -1) this.events += 1
    const rule = this.#rules.find(({ operation }) => operation === asked.get(xid))
    if (!rule) return 'deliver'
    this.#rules.splice(this.#rules.indexOf(rule), 1)
    rule.struck()
    return rule.verdict
  }
}

function skippingFirst(onFrame: (frame: Buffer) => void): (frame: Buffer) => void {
  let first = true
  return (frame) => {
    if (!first) onFrame(frame)
    first = false
  }
}

function framed(frame: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(frame.length)
  return Buffer.concat([length, frame])
}

function end({ client, server }: Line): void {
  client.destroy()
  server.destroy()
}
