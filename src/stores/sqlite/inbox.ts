import { StoreError } from '../../base/errors/errors.js'
import type { TimerHandle } from '../../base/time/schedule.js'
import type { StoreSettings } from '../../port/store.js'
import type { Inbox, InboxListener, Message } from '../rows/rows.js'
import type { Keyspace } from '../rows/shape.js'
import type { Awaited } from './awaited.js'
import { Bell } from './bell.js'
import type { Clients } from './clients.js'
import type { Database } from './database.js'
import { readText } from './packed-row.js'
import type { Transactions } from './transactions.js'

/** While this client waits it looks so often by itself: for a message whose bell it did not hear, and for holders whose process ended. */
const LOOK_MS = 500

/** The same, where the system cannot watch files. */
const POLL_MS = 10

/** Messages to this client: rows of a table, and a bell that rings for each new one. */
export class SqliteInbox implements Inbox {
  #opening: Promise<void> | undefined
  #bell: Bell | undefined
  /** The database that lists this client as listening. */
  #listedIn: Database | undefined
  /** Set where the system cannot watch the bell. */
  #polls = false
  #timer: TimerHandle | undefined
  /** The last message that this client has read and not yet removed; 0 if there is none. */
  #readTo = 0
  #closed = false

  constructor(
    private readonly settings: StoreSettings,
    private readonly listener: InboxListener,
    private readonly transactions: Transactions,
    private readonly clients: Clients,
    private readonly awaited: Awaited,
  ) {}

  get open(): boolean {
    return this.#listedIn !== undefined
  }

  async opened(): Promise<void> {
    if (this.open) return
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    await this.#opening
  }

  /** Not at once: whoever doubts is reading the answer to a question, and would take a grant for news from before that answer. */
  doubt(): void {
    this.settings.schedule.afterTurn(() => {
      if (this.#closed) return
      if (this.#listedIn) this.#look(this.#listedIn)
      else this.opened().catch(this.settings.onError)
    })
  }

  /** Whether it still has to remove messages that it has read. */
  get leavesRead(): boolean {
    return this.#readTo > 0
  }

  /** Part of each transaction: removes the messages that it has read. */
  begun(database: Database): void {
    if (this.#readTo > 0 && this.#listedIn === database)
      database.run(
        'DELETE FROM holdfast_messages WHERE client = ? AND id <= ?',
        this.settings.clientId,
        this.#readTo,
      )
  }

  /** Call it when the transaction is on the disk. */
  committed(database: Database): void {
    if (this.#listedIn === database) this.#readTo = 0
  }

  /** Somebody has replaced the file, or this client has given its connection up. */
  left(): void {
    if (!this.#listedIn) return
    this.#listedIn = undefined
    this.#readTo = 0
    this.listener.missed()
    this.#reopen()
  }

  close(): void {
    this.#closed = true
    this.#listedIn = undefined
    this.settings.schedule.cancel(this.#timer)
    this.#bell?.close()
  }

  /** Listens first, and says then that it does. */
  async #open(): Promise<void> {
    await this.transactions.add({ command: 'listen' }, (database) => {
      this.#hang(database)
      this.clients.register(database, true)
      return () => {
        if (this.#closed) return
        this.#listedIn = database
        this.#read(database)
      }
    })
  }

  #reopen(): void {
    if (this.#closed) return
    this.opened().then(
      () => this.listener.missed(),
      (error) => {
        this.settings.onError(error)
        const { schedule } = this.settings
        this.#timer ??= schedule.at(schedule.clock.now() + LOOK_MS, () => {
          this.#timer = undefined
          this.#reopen()
        })
      },
    )
  }

  #hang(database: Database): void {
    this.#bell?.close()
    const bell = new Bell(database.file, this.settings.clientId, {
      rang: () => {
        if (this.#listedIn) this.#read(this.#listedIn)
      },
      broken: (error) => this.#broken(error),
    })
    this.#bell = bell
    try {
      bell.hang()
      this.#polls = false
    } catch (error) {
      this.#poll(error)
    }
  }

  /** Says once that it polls. */
  #poll(cause: unknown): void {
    if (!this.#polls)
      this.settings.onError(
        new StoreError('not-ready', 'watch', {
          cause,
          transient: true,
          hint: `Files cannot be watched here: waiters look every ${POLL_MS} ms instead.`,
        }),
      )
    this.#polls = true
  }

  #broken(error: unknown): void {
    const database = this.#listedIn
    if (this.#closed || !database) return
    this.listener.missed()
    if (error === undefined) this.#hang(database)
    else this.#poll(error)
    this.#read(database)
    this.listener.missed()
  }

  #look(database: Database): void {
    if (!this.#polls && this.#bell?.hangs === false) this.#broken(undefined)
    this.#read(database)
    try {
      const holders = this.awaited.look(database)
      if (!this.clients.listens(database)) this.left()
      else if ([...holders].some((holder) => this.clients.ended(database, holder))) this.listener.missed()
    } catch (error) {
      this.settings.onError(error)
    }
    this.planLook()
  }

  #read(database: Database): void {
    if (this.#closed) return
    let found: ReturnType<Database['all']>
    try {
      found = database.all(
        'SELECT id, keyspace, hex(name), hex(text) FROM holdfast_messages WHERE client = ? AND id > ? ORDER BY id',
        this.settings.clientId,
        this.#readTo,
      )
    } catch (error) {
      // The next look reads them.
      this.settings.onError(error)
      return
    }
    const messages: Message[] = []
    for (const [id, keyspace, name, text] of found) {
      if (typeof id === 'number') this.#readTo = Math.max(this.#readTo, id)
      if (isKeyspace(keyspace)) messages.push({ keyspace, name: readText(name), text: readText(text) })
    }
    for (const message of messages) {
      try {
        this.listener.message(message)
      } catch (error) {
        this.settings.onError(error)
      }
    }
    this.planLook()
  }

  /** One timer, and only while there is something to look for. */
  planLook(): void {
    const { schedule } = this.settings
    if (this.#closed || this.#timer || !(this.awaited.any || this.#readTo > 0)) return
    this.#timer = schedule.at(schedule.clock.now() + (this.#polls ? POLL_MS : LOOK_MS), () => {
      this.#timer = undefined
      const database = this.#listedIn
      if (this.#closed || !database) return
      // Remove read messages by a transaction of their own.
      if (this.#readTo > 0)
        this.transactions.add({ command: 'tidy' }, () => () => undefined).catch(this.settings.onError)
      this.#look(database)
    })
  }
}

/** Every writer of messages writes a keyspace. */
function isKeyspace(value: unknown): value is Keyspace {
  return typeof value === 'string'
}
