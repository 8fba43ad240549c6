import { firstLeaseMs } from '../core/lease/first-lease.js'
import type { News, Polls, Watch } from '../ports/lock-port.js'
import type { StoreSettings } from '../ports/store.js'
import { Letters } from './letters.js'
import type { Told } from './line.js'
import type { Draft, Express, Inbox, Keyspace, RowSession, Rows } from './rows.js'
import type { Shape } from './shape.js'

/** How a client waits for a store without push: it asks again, after 5 ms at first and after 200 ms at most. */
const POLLS: Polls = {
  pauseMs: (attempts, random) => Math.min(5 * 2 ** Math.min(attempts, 6), 200) * (0.5 + random / 2),
}

/** A row that keeps clients that are told of every change. */
export interface Heard {
  readonly listeners: string[]
}

/** One client of a store that keeps locks as rows: what its ports have in common. */
export class RowClient {
  readonly id: string
  /** How long a grant in line lasts until its process takes over, and after how long a new place looks for the first time. */
  readonly firstLeaseMs: number
  readonly letters = new Letters()
  readonly #session: RowSession
  #closed = false

  constructor(
    rows: Rows,
    private readonly settings: StoreSettings,
  ) {
    this.id = settings.clientId
    this.firstLeaseMs = firstLeaseMs(settings.watchdogLeaseMs)
    this.#session = rows.openRows(settings, this.letters)
  }

  get inbox(): Inbox | undefined {
    return this.#session.inbox
  }

  get express(): Express | undefined {
    return this.#session.express
  }

  /** How its calls wait; absent where messages come. */
  get polls(): Polls | undefined {
    return this.inbox ? undefined : POLLS
  }

  change<Body, Result>(
    shape: Shape<Body>,
    name: string,
    change: (draft: Draft<Body>) => Result,
  ): Promise<Result> {
    return this.#session.change(shape, name, change)
  }

  /** Derives something from the row as it is, and writes nothing. */
  look<Body, Result>(
    shape: Shape<Body>,
    name: string,
    read: (draft: Draft<Body>) => Result,
  ): Promise<Result> {
    return this.change(shape, name, (draft) =>
      read({
        body: structuredClone(draft.body),
        now: draft.now,
        reaches: (client) => draft.reaches(client),
        ended: (client) => draft.ended(client),
        tell: () => undefined,
      }),
    )
  }

  names(keyspace: Keyspace, pattern: string): AsyncIterable<string> {
    return this.#session.names(keyspace, pattern)
  }

  /** Calls `read` with each message about that row, and without one when some may have been missed. */
  watch(keyspace: Keyspace, name: string, read: (told?: Told) => void, onClose?: () => void): Watch {
    const { inbox } = this
    if (inbox) return this.letters.watch(inbox, keyspace, name, read, onClose)
    // Never called by waiters, which poll.
    return { confirmed: Promise.resolve(), close: () => undefined }
  }

  /** Hears of every change of that row from the next refused request on, until the last of its watches is closed. */
  listen<Body extends Heard>(name: string, shape: Shape<Body>, onNews: (news?: News) => void): Watch {
    const { keyspace } = shape
    const read = (told?: Told): void => {
      if (!told || (!('letIn' in told) && !('asked' in told))) onNews(told)
    }
    return this.watch(keyspace, name, read, () => {
      if (this.#closed || this.letters.awaits(keyspace, name)) return
      this.change(shape, name, ({ body }) => {
        const at = body.listeners.indexOf(this.id)
        if (at >= 0) body.listeners.splice(at, 1)
      }).catch(this.settings.onError)
    })
  }

  close(): Promise<void> {
    this.#closed = true
    return this.#session.close()
  }
}
