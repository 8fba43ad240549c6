import { retryPauseMs } from '../../../base/time/back-off.js'
import { queueMicrotask } from '../../../base/time/machine-time.js'
import type { TimerHandle } from '../../../base/time/schedule.js'
import type { EtcdClient } from './client.js'
import type { KeyEvent, WatchReply } from './replies.js'
import type { Span } from './requests.js'
import { type Watched, WatchStream } from './watch-stream.js'

/** How often the client asks a server for a sign of life, while somebody waits for its messages. etcd allows it every 5 s. */
const HEARTBEAT_MS = 6_000

export interface WatchListener {
  /** The server reports what happens after that revision; the caller looks up what happened before. Called again after a break. */
  readonly begun: (revision: bigint) => void
  /** Somebody deleted the key at that revision, and may have made it anew since. */
  readonly ended?: (revision: bigint) => void
  /** Anything happened to it; asked for where it is set. */
  readonly changed?: (events: readonly KeyEvent[]) => void
  /** Until it is begun again the server tells nothing. */
  readonly broken?: () => void
}

interface StandingWatch extends Watched {
  readonly line: string | undefined
  /** Undefined: it rests. */
  listener: WatchListener | undefined
  /** Since when the server tells; undefined until it does. */
  begunAt: bigint | undefined
  /** The revision of the last deletion that the server has reported. */
  endedAt: bigint
  /** A revision without the key, from when the watch began to rest. */
  toldAt: bigint
  /** How many later deletions the server has reported while the watch rests. */
  vain: number
  /** When it has rested long enough. */
  alarm: TimerHandle | undefined
}

/** For how long, and for how many useless messages, a watch rests for the next call that waits for its key. */
const REST_MS = 1_000
const MOST_IN_VAIN = 1

/**
 * Watches keys for their end, or for every change, by one stream; when that ends, all watches begin anew on another. A watch begins at the
 * revision that the server names, not at an earlier one: etcd serves a watch of the past by a loop that runs every 100 ms.
 *
 * A watch that has reported a deletion may rest. Clients that take turns wait for each other again and again, and reuse the keys of their
 * entries: the next wait then costs no request, and learns at once of a deletion that came before it.
 */
export class Watches {
  readonly #watches = new Set<StandingWatch>()
  /** One for each line. */
  readonly #resting = new Map<string, StandingWatch>()
  #stream: WatchStream<StandingWatch> | undefined
  #failures = 0
  #reopening: TimerHandle | undefined
  #heartbeat: TimerHandle | undefined
  #closed = false

  constructor(
    private readonly client: EtcdClient,
    /** Hears why no watch is in force. */
    private readonly onBreak: (error: unknown) => void,
  ) {}

  /**
   * Returns the function that ends the watch. Given a revision without the key, a watch with a `line` may rest until somebody watches another
   * key of that line.
   *
   * @param line the line of which the key is an entry
   */
  watch(span: Span, listener: WatchListener, line?: string): (goneAt?: bigint) => void {
    const watch = this.#rested(span.key, listener, line) ?? this.#add(span, listener, line)
    return (goneAt) => {
      if (watch.listener !== listener) return
      if (goneAt === undefined) this.#end(watch)
      else this.#rest(watch, goneAt)
    }
  }

  close(): void {
    this.#closed = true
    for (const watch of [...this.#watches]) this.#end(watch)
    this.client.schedule.cancel(this.#reopening)
    this.#stream?.close()
    this.#stream = undefined
  }

  #add(span: Span, listener: WatchListener, line: string | undefined): StandingWatch {
    const watch: StandingWatch = {
      ...span,
      changes: listener.changed !== undefined,
      line,
      listener,
      begunAt: undefined,
      endedAt: 0n,
      toldAt: 0n,
      vain: 0,
      alarm: undefined,
    }
    this.#watches.add(watch)
    this.#heartbeat ??= this.#beat()
    if (this.#stream) this.#stream.begin(watch)
    else this.#open()
    return watch
  }

  /** Resumes the watch that rests in that line, if it is for that key, and reports what it has heard meanwhile. */
  #rested(key: Buffer, listener: WatchListener, line: string | undefined): StandingWatch | undefined {
    const watch = line === undefined ? undefined : this.#resting.get(line)
    if (line === undefined || !watch) return undefined
    if (!watch.key.equals(key)) {
      this.#end(watch)
      return undefined
    }
    this.#resting.delete(line)
    this.client.schedule.cancel(watch.alarm)
    watch.listener = listener
    const { begunAt, endedAt } = watch
    queueMicrotask(() => {
      if (watch.listener === listener && begunAt !== undefined) listener.begun(begunAt)
      if (watch.listener === listener && endedAt > 0n) listener.ended?.(endedAt)
    })
    return watch
  }

  #rest(watch: StandingWatch, goneAt: bigint): void {
    const { schedule } = this.client
    const { line } = watch
    if (line === undefined || watch.begunAt === undefined) {
      this.#end(watch)
      return
    }
    const other = this.#resting.get(line)
    if (other) this.#end(other)
    this.#resting.set(line, watch)
    watch.listener = undefined
    watch.toldAt = goneAt
    watch.vain = 0
    watch.alarm = schedule.at(schedule.clock.now() + REST_MS, () => this.#end(watch))
  }

  #end(watch: StandingWatch): void {
    if (!this.#watches.has(watch)) return
    this.#forget(watch)
    this.#stream?.end(watch)
  }

  #forget(watch: StandingWatch): void {
    this.#watches.delete(watch)
    watch.listener = undefined
    this.client.schedule.cancel(watch.alarm)
    if (watch.line !== undefined && this.#resting.get(watch.line) === watch) this.#resting.delete(watch.line)
    if (this.#watches.size > 0) return
    this.client.schedule.cancel(this.#heartbeat)
    this.#heartbeat = undefined
  }

  #open(): void {
    if (this.#stream || this.#reopening || this.#closed) return
    this.#stream = new WatchStream(this.client, {
      begun: (watch, revision) => {
        this.#failures = 0
        watch.begunAt = revision
        watch.listener?.begun(revision)
      },
      told: (watch, reply) => this.#told(watch, reply),
      broken: (error, loggedIn) => this.#broken(error, loggedIn),
    })
    for (const watch of this.#watches) this.#stream.begin(watch)
  }

  #broken(error: unknown, loggedIn: boolean): void {
    const { schedule } = this.client
    this.#stream = undefined
    for (const watch of [...this.#watches])
      if (watch.listener) watch.listener.broken?.()
      else this.#forget(watch)
    if (this.#closed || this.#watches.size === 0) return
    this.#failures += 1
    // At once after one that served: most breaks are of one connection, and another server is there.
    const pauseMs = this.#failures === 1 ? 0 : retryPauseMs(this.#failures - 1)
    this.#reopening = schedule.at(schedule.clock.now() + pauseMs, () => {
      this.#reopening = undefined
      this.#open()
    })
    if (!loggedIn || this.#failures > 1) this.onBreak(error)
  }

  #told(watch: StandingWatch, { endedAt, events }: WatchReply): void {
    if (endedAt > watch.endedAt) watch.endedAt = endedAt
    // If a read has shown this deletion first, it is no news.
    if (!watch.listener && endedAt > watch.toldAt) {
      // One that nobody waits for may be early: the entry ended before the answer came that it stood there.
      watch.vain += 1
      if (watch.vain > MOST_IN_VAIN) this.#end(watch)
    } else if (endedAt > 0n) watch.listener?.ended?.(endedAt)
    watch.listener?.changed?.(events)
  }

  /** A server that hangs tells nothing, and nor does one to which nothing happens: only a question tells them apart. */
  #beat(): TimerHandle {
    const { schedule } = this.client
    return schedule.at(schedule.clock.now() + HEARTBEAT_MS, () => {
      this.#stream?.ping()
      this.#heartbeat = this.#beat()
    })
  }
}
