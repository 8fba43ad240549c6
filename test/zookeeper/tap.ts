import type { Socket } from 'node:net'
import { frameReader, HEAD } from '../../src/stores/zookeeper/client/jute.js'
import { Rules, type Verdict } from '../wire/rules.js'
import { Strand } from '../wire/strand.js'
import { WireOf } from '../wire/wire.js'

/** What clients ask that tests look at, by ZooKeeper's numbers. */
const OPERATIONS: Readonly<Record<number, string>> = {
  2: 'delete',
  4: 'getData',
  8: 'getChildren',
  11: 'ping',
  14: 'multi',
  15: 'create',
}

/** One connection through a {@link Tap}. The first frame in each direction is greeting and welcome. */
class TappedConnection extends Strand {
  readonly #asked = new Map<number, string>()
  readonly #requests = frameReader()
  readonly #replies = frameReader()
  #greeted = false
  #welcomed = false

  constructor(
    index: number,
    client: Socket,
    server: Socket,
    private readonly tap: Tap,
  ) {
    super(index, client, server, tap)
  }

  protected override up(chunk: Buffer): void {
    for (const frame of this.#requests.read(chunk)) {
      const [xid, number] = [frame.readInt32BE(HEAD), frame.readInt32BE(HEAD + 4)]
      const operation = OPERATIONS[number] ?? 'other'
      if (this.#greeted) {
        this.#asked.set(xid, operation)
        this.tap.asks(operation)
      }
      this.#greeted = true
    }
    this.send('up', chunk)
  }

  protected override down(chunk: Buffer): void {
    for (const frame of this.#replies.read(chunk)) {
      const xid = frame.readInt32BE(HEAD)
      const verdict = this.#welcomed
        ? this.tap.answers(xid === -1 ? undefined : (this.#asked.get(xid) ?? ''))
        : 'deliver'
      this.#welcomed = true
      if (verdict === 'break') this.break()
      else if (verdict === 'silence') this.silence()
      else this.send('down', Buffer.isBuffer(verdict) ? framed(verdict) : frame)
    }
  }
}

/** A wire that reads ZooKeeper's protocol. */
export class Tap extends WireOf<TappedConnection> {
  /** What was asked, by all clients. */
  readonly asked: string[] = []
  /** How many events servers have told of. */
  events = 0
  readonly #rules = new Rules<string>()

  protected strand(index: number, client: Socket, server: Socket): TappedConnection {
    return new TappedConnection(index, client, server, this)
  }

  asks(operation: string): void {
    this.asked.push(operation)
  }

  /** @param operation undefined where an event is told */
  answers(operation: string | undefined): Verdict {
    if (operation !== undefined) return this.#rules.judge(operation)
    this.events += 1
    return 'deliver'
  }

  /** The next reply to such an operation does not arrive, although it is carried out. Resolves when that has happened. */
  dropReply(operation: string, then: 'break' | 'silence' = 'break'): Promise<string> {
    return this.#rules.once((each) => each === operation, then)
  }

  /** Something else arrives in place of the next reply to such an operation. */
  replaceReply(operation: string, frame: Buffer): Promise<string> {
    return this.#rules.once((each) => each === operation, frame)
  }

  /** What was set for replies is forgotten, too. */
  override heal(): void {
    this.#rules.forget()
    super.heal()
  }
}

function framed(frame: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(frame.length)
  return Buffer.concat([length, frame])
}
