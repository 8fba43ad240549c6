import type { Duplex } from 'node:stream'
import type { TimerHandle } from '../../../base/time/schedule.js'
import { timeoutOf } from '../../../port/failure.js'
import type { StoreSettings } from '../../../port/store.js'
import { type About, failureIn, notMemcached, unreachable } from './failure.js'
import { type Reply, ReplyReader } from './reply.js'

/** A command that waits for so many replies in a row. */
interface Pending {
  readonly about: About
  readonly count: number
  readonly replies: Reply[]
  readonly alarm: TimerHandle
  resolve(replies: readonly Reply[]): void
  reject(error: unknown): void
}

/** What a server answers to a command that it has understood. */
const UNDERSTOOD = new Set(['HD', 'VA', 'EN', 'NF', 'NS', 'EX', 'MN', 'STORED'])

/**
 * One connection to one server process: commands leave at once, and the answers come in order. The versions (`c`) of items are unique only
 * among those of one connection: a restarted server counts from 1 again.
 */
export class Connection {
  readonly #pending: Pending[] = []
  readonly #reader = new ReplyReader()
  #broken: unknown
  /** Whether the server has shown that it is memcached. */
  #known = false

  constructor(
    private readonly stream: Duplex,
    private readonly settings: Pick<StoreSettings, 'schedule' | 'commandTimeoutMs'>,
  ) {
    stream.on('data', (bytes: Buffer) => this.#received(bytes))
    stream.on('error', (cause: unknown) => this.destroy(cause))
    stream.on('close', () => this.destroy(new Error('the connection was closed')))
  }

  get open(): boolean {
    return this.#broken === undefined
  }

  /**
   * Sends commands in one flight, as text with line ends; one reply for each. Rejects with a `StoreError`: if the server refuses one of
   * them, if the connection breaks, and if the replies are not there in time, which breaks the connection.
   */
  ask(
    commands: readonly string[],
    about: About,
    timeoutMs: number = this.settings.commandTimeoutMs,
  ): Promise<readonly Reply[]> {
    if (!this.open) return Promise.reject(unreachable(this.#broken, about))
    const { schedule } = this.settings
    return new Promise((resolve, reject) => {
      const late = (): void => {
        // Where the event loop stood still the replies may be there, and unread.
        schedule.afterTurn(() => {
          if (!this.#pending.includes(pending)) return
          reject(timeoutOf(about, timeoutMs))
          this.destroy(new Error('the server did not answer in time'))
        })
      }
      const alarm = schedule.at(schedule.clock.now() + timeoutMs, late)
      const pending: Pending = { about, count: commands.length, replies: [], alarm, resolve, reject }
      this.#pending.push(pending)
      this.stream.write(commands.join(''))
    })
  }

  /** Breaks it, and rejects what is under way. */
  destroy(cause: unknown): void {
    this.#break((about) => unreachable(cause, about), cause)
  }

  #received(bytes: Buffer): void {
    let replies: readonly Reply[]
    try {
      replies = this.#reader.read(bytes)
    } catch (error) {
      this.#unreadable(error)
      return
    }
    for (const reply of replies) {
      const [first] = this.#pending
      if (!this.open) return
      if (!first || !isReply(reply)) {
        // Before it closes a connection that is one too many, it says so unasked.
        if (!first && reply.status === 'ERROR') continue
        this.#unreadable(new Error(`the server sent ${JSON.stringify(reply.status.slice(0, 40))}`))
        return
      }
      this.#known ||= UNDERSTOOD.has(reply.status)
      first.replies.push(reply)
      if (first.replies.length === first.count) this.#settle(first)
    }
  }

  #settle(first: Pending): void {
    this.#pending.shift()
    this.settings.schedule.cancel(first.alarm)
    const refusal = first.replies.find(({ status }) => !UNDERSTOOD.has(status))
    if (refusal) first.reject(failureIn(refusal, first.about))
    else first.resolve(first.replies)
  }

  #unreadable(cause: unknown): void {
    // Of a memcached nobody knows what it has done by then; anything else has taken no lock.
    const failure = this.#known ? unreachable : notMemcached
    this.#break((about) => failure(cause, about), cause)
  }

  #break(failure: (about: About) => unknown, cause: unknown): void {
    if (!this.open) return
    this.#broken = cause ?? new Error('the connection has ended')
    this.stream.destroy()
    for (const { alarm, about, reject } of this.#pending.splice(0)) {
      this.settings.schedule.cancel(alarm)
      reject(failure(about))
    }
  }
}

function isReply({ status }: Reply): boolean {
  return UNDERSTOOD.has(status) || /^(CLIENT_ERROR|SERVER_ERROR|ERROR)$/.test(status)
}
