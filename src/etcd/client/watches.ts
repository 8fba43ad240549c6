import { retryPauseMs } from '../../time/back-off.js'
import { queueMicrotask } from '../../time/machine-time.js'
import type { Schedule, TimerHandle } from '../../time/schedule.js'
import { type Conversation, type EtcdClient, saysTokenIsOld } from './client.js'
import { GrpcError, grpcCodes } from './grpc-error.js'
import { replies } from './replies.js'
import { requests } from './requests.js'

const PATH = '/etcdserverpb.Watch/Watch'
const ABOUT = { command: 'Watch' }

/** How often a server is asked whether it is still there, while somebody waits for its messages. etcd allows it every 5 s. */
const HEARTBEAT_MS = 6_000

export interface WatchListener {
  /** The server tells what happens after that revision; what happened before is to be looked up. Called again after a break. */
  readonly begun: (revision: bigint) => void
  /** The key was deleted, at that revision: it may have been made anew since. */
  readonly ended?: (revision: bigint) => void
  /** Anything happened to it; asked for where it is set. */
  readonly changed?: () => void
}

interface StandingWatch {
  readonly key: Buffer
  readonly line: string | undefined
  /** Undefined: it rests. */
  listener: WatchListener | undefined
  /** Since when the server tells; undefined until it does. */
  begunAt: bigint | undefined
  /** When the key was last deleted, as far as the server has told. */
  endedAt: bigint
  /** The revision by which the key was known to be gone when the watch began to rest. */
  toldAt: bigint
  /** How often the server has told of a later deletion while the watch rests. */
  vain: number
  /** When the server must have said that it watches, or when it has rested long enough. */
  alarm: TimerHandle | undefined
}

/** For how long a watch is kept for the next who waits for the same key, and for how many messages in vain. */
const REST_MS = 1_000
const MOST_IN_VAIN = 1

/**
 * Watches keys for their end, or for every change, each from the moment when the server says so and not from an earlier revision: etcd serves a watch of the
 * past by a loop that runs every 100 ms. All of them by one stream; when that ends they are begun anew on another.
 *
 * A watch that has told of a deletion may rest. Clients that take turns wait for each other again and again, and reuse the keys of their
 * entries: the next wait then costs no request, and hears at once of a deletion that came before it.
 */
export class Watches {
  readonly #watches = new Map<bigint, StandingWatch>()
  /** One for each line. */
  readonly #resting = new Map<string, bigint>()
  #lastId = 0n
  /** Stands for the stream that is open or being opened; what an earlier one tells does not count. */
  #attempt: object | undefined
  #conversation: Conversation | undefined
  #failures = 0
  #reopening: TimerHandle | undefined
  #heartbeat: TimerHandle | undefined
  #closed = false

  constructor(
    private readonly client: EtcdClient,
    private readonly schedule: Schedule,
    /** How long a server has to answer. */
    private readonly timeoutMs: number,
    /** Told why nothing is watched at the moment. */
    private readonly onBreak: (error: unknown) => void,
  ) {}

  /**
   * Returns what ends it. Given the revision by which the key was gone, it may rest then, if its `line` is given, until another key of that
   * line is watched.
   *
   * @param line what the key is an entry of
   */
  watch(key: Buffer, listener: WatchListener, line?: string): (goneAt?: bigint) => void {
    const id = this.#rested(key, listener, line) ?? this.#begun(key, listener, line)
    return (goneAt) => {
      if (this.#watches.get(id)?.listener !== listener) return
      if (goneAt === undefined) this.#end(id)
      else this.#rest(id, goneAt)
    }
  }

  close(): void {
    this.#closed = true
    for (const id of [...this.#watches.keys()]) this.#end(id)
    this.schedule.cancel(this.#reopening)
    this.#attempt = undefined
    this.#conversation?.stream.close()
  }

  #begun(key: Buffer, listener: WatchListener, line: string | undefined): bigint {
    this.#lastId += 1n
    const id = this.#lastId
    const watch = {
      key,
      line,
      listener,
      begunAt: undefined,
      endedAt: 0n,
      toldAt: 0n,
      vain: 0,
      alarm: undefined,
    }
    this.#watches.set(id, watch)
    this.#heartbeat ??= this.#beat()
    if (this.#conversation) this.#begin(id, watch, this.#conversation)
    else this.#open()
    return id
  }

  /** The one that rests in that line, if it is of that key: it goes on, and tells what it has heard. */
  #rested(key: Buffer, listener: WatchListener, line: string | undefined): bigint | undefined {
    const id = line === undefined ? undefined : this.#resting.get(line)
    const watch = id === undefined ? undefined : this.#watches.get(id)
    if (line === undefined || id === undefined || !watch) return undefined
    if (!watch.key.equals(key)) {
      this.#end(id)
      return undefined
    }
    this.#resting.delete(line)
    this.schedule.cancel(watch.alarm)
    watch.listener = listener
    const { begunAt, endedAt } = watch
    queueMicrotask(() => {
      if (watch.listener === listener && begunAt !== undefined) listener.begun(begunAt)
      if (watch.listener === listener && endedAt > 0n) listener.ended?.(endedAt)
    })
    return id
  }

  #rest(id: bigint, goneAt: bigint): void {
    const { schedule } = this
    const watch = this.#watches.get(id)
    if (watch?.line === undefined || watch.begunAt === undefined) {
      this.#end(id)
      return
    }
    const other = this.#resting.get(watch.line)
    if (other !== undefined) this.#end(other)
    this.#resting.set(watch.line, id)
    watch.listener = undefined
    watch.toldAt = goneAt
    watch.vain = 0
    watch.alarm = schedule.at(schedule.clock.now() + REST_MS, () => this.#end(id))
  }

  #begin(id: bigint, watch: StandingWatch, { channel, stream }: Conversation): void {
    const { schedule } = this
    schedule.cancel(watch.alarm)
    watch.alarm = schedule.at(schedule.clock.now() + this.timeoutMs, () => this.client.drop(channel))
    stream.send(requests.watch(id, watch.key, watch.listener?.changed !== undefined))
  }

  #end(id: bigint): void {
    const watch = this.#watches.get(id)
    if (!watch) return
    this.#forget(id, watch)
    this.#conversation?.stream.send(requests.cancelWatch(id))
  }

  #forget(id: bigint, watch: StandingWatch): void {
    this.#watches.delete(id)
    watch.listener = undefined
    this.schedule.cancel(watch.alarm)
    if (watch.line !== undefined && this.#resting.get(watch.line) === id) this.#resting.delete(watch.line)
    if (this.#watches.size > 0) return
    this.schedule.cancel(this.#heartbeat)
    this.#heartbeat = undefined
  }

  #open(): void {
    if (this.#attempt || this.#reopening || this.#closed) return
    const attempt = {}
    this.#attempt = attempt
    const end = (error: unknown): void => {
      if (this.#attempt === attempt) this.#broken(error)
    }
    const open = (): Promise<Conversation> =>
      this.client.converse(PATH, {
        message: (message) => {
          if (this.#attempt === attempt) this.#hear(message)
        },
        end,
      })
    this.client.inTime(ABOUT, this.timeoutMs, open).then((conversation) => {
      if (this.#attempt !== attempt) {
        conversation.stream.close()
        return
      }
      this.#conversation = conversation
      for (const [id, watch] of this.#watches) this.#begin(id, watch, conversation)
    }, end)
  }

  #broken(error: unknown): void {
    const { schedule } = this
    this.#conversation?.stream.close()
    this.#attempt = undefined
    this.#conversation = undefined
    for (const [id, watch] of this.#watches) {
      schedule.cancel(watch.alarm)
      if (!watch.listener) this.#forget(id, watch)
    }
    if (this.#closed || this.#watches.size === 0) return
    this.#failures += 1
    // At once after one that served: most breaks are of one connection, and another server is there.
    const pauseMs = this.#failures === 1 ? 0 : retryPauseMs(this.#failures - 1)
    this.#reopening = schedule.at(schedule.clock.now() + pauseMs, () => {
      this.#reopening = undefined
      this.#open()
    })
    this.onBreak(error)
  }

  #hear(message: Buffer): void {
    const { watchId, created, canceled, reason, endedAt, changed, revision } = replies.watch(message)
    const watch = this.#watches.get(watchId)
    // One that could not be begun is answered under no number.
    if (canceled && (watch || watchId < 0n)) this.#refused(reason)
    else if (watch && created) {
      this.schedule.cancel(watch.alarm)
      this.#failures = 0
      watch.begunAt = revision
      watch.listener?.begun(revision)
    }
    if (!watch || !changed) return
    if (endedAt > watch.endedAt) watch.endedAt = endedAt
    // A read may have told of this deletion first: then it is no news.
    if (!watch.listener && endedAt > watch.toldAt) this.#inVain(watchId, watch)
    else if (endedAt > 0n) watch.listener?.ended?.(endedAt)
    watch.listener?.changed?.()
  }

  /** One message may have come before the wait that it is for: the entry was gone before the answer came that it stood there. */
  #inVain(id: bigint, watch: StandingWatch): void {
    watch.vain += 1
    if (watch.vain > MOST_IN_VAIN) this.#end(id)
  }

  /** The server has ended a watch: it was too slow, say, or the token is too old. */
  #refused(reason: string): void {
    const error = new GrpcError(grpcCodes.unavailable, reason || 'the server has ended the watch')
    const attempt = this.#attempt
    const again = (): void => {
      if (this.#attempt === attempt) this.#broken(error)
    }
    if (saysTokenIsOld(reason)) this.client.renewToken(ABOUT).then(again, again)
    else again()
  }

  /** A server that hangs tells nothing, and nor does one to which nothing happens: only a question tells them apart. */
  #beat(): TimerHandle {
    const { schedule, client } = this
    return schedule.at(schedule.clock.now() + HEARTBEAT_MS, () => {
      const { channel } = this.#conversation ?? {}
      if (channel) client.inTime(ABOUT, this.timeoutMs, (uses) => uses(channel).ping()).catch(() => undefined)
      this.#heartbeat = this.#beat()
    })
  }
}
