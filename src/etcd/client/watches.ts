import { retryPauseMs } from '../../time/back-off.js'
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
  /** The key was deleted. */
  readonly ended?: () => void
  /** Anything happened to it; asked for where it is set. */
  readonly changed?: () => void
}

interface StandingWatch {
  readonly key: Buffer
  readonly listener: WatchListener
  /** When the server must have said that it watches. */
  alarm: TimerHandle | undefined
}

/**
 * Watches keys for their end, or for every change, each from the moment when the server says so and not from an earlier revision: etcd serves a watch of the
 * past by a loop that runs every 100 ms. All of them by one stream; when that ends they are begun anew on another.
 */
export class Watches {
  readonly #watches = new Map<bigint, StandingWatch>()
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

  /** Returns what ends it. */
  watch(key: Buffer, listener: WatchListener): () => void {
    this.#lastId += 1n
    const id = this.#lastId
    const watch: StandingWatch = { key, listener, alarm: undefined }
    this.#watches.set(id, watch)
    this.#heartbeat ??= this.#beat()
    if (this.#conversation) this.#begin(id, watch, this.#conversation)
    else this.#open()
    return () => this.#end(id)
  }

  close(): void {
    this.#closed = true
    for (const id of [...this.#watches.keys()]) this.#end(id)
    this.schedule.cancel(this.#reopening)
    this.#attempt = undefined
    this.#conversation?.stream.close()
  }

  #begin(id: bigint, watch: StandingWatch, { channel, stream }: Conversation): void {
    const { schedule } = this
    schedule.cancel(watch.alarm)
    watch.alarm = schedule.at(schedule.clock.now() + this.timeoutMs, () => this.client.drop(channel))
    stream.send(requests.watch(id, watch.key, watch.listener.changed !== undefined))
  }

  #end(id: bigint): void {
    const watch = this.#watches.get(id)
    if (!watch) return
    this.#watches.delete(id)
    this.schedule.cancel(watch.alarm)
    this.#conversation?.stream.send(requests.cancelWatch(id))
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
    if (this.#closed || this.#watches.size === 0) return
    for (const watch of this.#watches.values()) schedule.cancel(watch.alarm)
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
    const { watchId, created, canceled, reason, ended, changed, revision } = replies.watch(message)
    const watch = this.#watches.get(watchId)
    // One that could not be begun is answered under no number.
    if (canceled && (watch || watchId < 0n)) this.#refused(reason)
    else if (watch && created) {
      this.schedule.cancel(watch.alarm)
      this.#failures = 0
      watch.listener.begun(revision)
    }
    if (watch && ended) watch.listener.ended?.()
    if (watch && changed) watch.listener.changed?.()
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
