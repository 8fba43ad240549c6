import type { TimerHandle } from '../../../base/time/schedule.js'
import { type Conversation, type EtcdClient, saysTokenIsOld } from './client.js'
import { GrpcError, grpcCodes } from './grpc-error.js'
import { MalformedError } from './protobuf.js'
import { replies, type WatchReply } from './replies.js'
import { requests, type Span } from './requests.js'

const PATH = '/etcdserverpb.Watch/Watch'
const ABOUT = { command: 'Watch' }

/** The first number that this client proposes: no number of a server's own is so great. */
const FIRST_NUMBER = 1n << 40n

/** What the server is to tell about. */
export interface Watched extends Span {
  /** Every change, or its end alone. */
  readonly changes: boolean
}

export interface WatchStreamListener<Watch> {
  /** The server tells what happens after that revision. */
  begun(watch: Watch, revision: bigint): void
  told(watch: Watch, reply: WatchReply): void
  /** It is over, with all its watches. `loggedIn`: for want of a good token, which is there now. */
  broken(error: unknown, loggedIn: boolean): void
}

/**
 * One stream by which a server tells of many keys. etcd takes the number that the client proposes for a watch; its proxy gives its own
 * numbers, and answers in any order. So the stream asks for the first watch alone, and for the others at once or one by one, as that answer
 * shows.
 */
export class WatchStream<Watch extends Watched> {
  #conversation: Conversation | undefined
  /** Watches that the server has begun, by its numbers. */
  readonly #begun = new Map<bigint, Watch>()
  readonly #numbers = new Map<Watch, bigint>()
  /** Watches without an answer, by the numbers that this client proposed; undefined if nobody wants it any more. */
  readonly #asked = new Map<bigint, Watch | undefined>()
  readonly #waiting = new Set<Watch>()
  #lastNumber = FIRST_NUMBER
  #takesNumbers = false
  /** When the server must have answered. */
  #alarm: TimerHandle | undefined
  readonly #token: string | undefined
  #over = false

  constructor(
    private readonly client: EtcdClient,
    private readonly listener: WatchStreamListener<Watch>,
  ) {
    this.#token = client.connections.token
    const end = (error: unknown): void => this.#end(error)
    const message = (bytes: Buffer): void => {
      if (!this.#over) this.#hear(replies.watch(bytes))
    }
    const open = (): Promise<Conversation> => client.converse(PATH, { message, end })
    client.inTime(ABOUT, client.timeoutMs, open).then((conversation) => {
      this.#conversation = conversation
      if (this.#over) conversation.stream?.close()
      else this.#ask()
    }, end)
  }

  begin(watch: Watch): void {
    this.#waiting.add(watch)
    this.#ask()
  }

  end(watch: Watch): void {
    this.#waiting.delete(watch)
    // One that the server has not given a number yet ends when it has.
    for (const [proposed, asked] of this.#asked) if (asked === watch) this.#asked.set(proposed, undefined)
    const number = this.#numbers.get(watch)
    if (number === undefined) return
    this.#numbers.delete(watch)
    this.#begun.delete(number)
    this.#conversation?.stream?.send(requests.cancelWatch(number))
  }

  close(): void {
    this.#over = true
    this.client.schedule.cancel(this.#alarm)
    this.#conversation?.stream?.close()
  }

  /** Asks whether the server is still there; gives up one that does not answer. */
  ping(): void {
    const { channel } = this.#conversation ?? {}
    if (!channel) return
    this.client.inTime(ABOUT, this.client.timeoutMs, (uses) => uses(channel).ping()).catch(() => undefined)
  }

  #ask(): void {
    if (!this.#conversation) return
    for (const watch of this.#waiting) {
      if (this.#asked.size > 0 && !this.#takesNumbers) return
      this.#waiting.delete(watch)
      this.#lastNumber += 1n
      this.#asked.set(this.#lastNumber, watch)
      this.#expectAnswer(this.#conversation)
      this.#conversation.stream?.send(requests.watch(this.#lastNumber, watch, watch.changes))
    }
  }

  #expectAnswer({ channel }: Conversation): void {
    const { schedule, timeoutMs, connections } = this.client
    this.#alarm ??= schedule.at(schedule.clock.now() + timeoutMs, () => connections.drop(channel))
  }

  #hear(reply: WatchReply): void {
    const { watchId, created, canceled } = reply
    if (canceled) {
      // It has not begun, or somebody still wants it. A watch that this client has ended has no number any more.
      if (created || this.#begun.has(watchId)) this.#refused(reply.reason)
      return
    }
    if (created) this.#created(reply)
    const watch = this.#begun.get(watchId)
    if (watch && reply.events.length > 0) this.listener.told(watch, reply)
  }

  #created({ watchId: number, revision }: WatchReply): void {
    const proposed = this.#asked.has(number) ? number : [...this.#asked.keys()][0]
    // The stream knows the number only of a watch that it requested alone.
    if (proposed === undefined || (proposed !== number && this.#asked.size > 1) || this.#begun.has(number))
      throw new MalformedError('the server has begun a watch that nobody asked for')
    const watch = this.#asked.get(proposed)
    this.#asked.delete(proposed)
    this.#takesNumbers = proposed === number
    this.client.schedule.cancel(this.#alarm)
    this.#alarm = undefined
    if (this.#conversation && this.#asked.size > 0) this.#expectAnswer(this.#conversation)
    if (watch) {
      this.#begun.set(number, watch)
      this.#numbers.set(watch, number)
      this.listener.begun(watch, revision)
    } else this.#conversation?.stream?.send(requests.cancelWatch(number))
    this.#ask()
  }

  /** The server has ended a watch: it was too slow, say, or the token is too old. etcd 3.4 does not say what is wrong with a token. */
  #refused(reason: string): void {
    const error = new GrpcError(grpcCodes.unavailable, reason || 'the server has ended the watch')
    if (/permission denied/.test(reason)) this.#loginThenEnd(error)
    else this.#end(error)
  }

  #end(error: unknown): void {
    if (error instanceof GrpcError && saysTokenIsOld(error.message)) this.#loginThenEnd(error)
    else this.#break(error)
  }

  #loginThenEnd(error: unknown): void {
    const { client } = this
    client.renewToken(ABOUT, this.#token).then(
      () => this.#break(error, true),
      (refusal: unknown) => this.#break(refusal),
    )
  }

  #break(error: unknown, loggedIn = false): void {
    if (this.#over) return
    this.close()
    this.listener.broken(error, loggedIn)
  }
}
