import { StoreError } from '../../base/errors/errors.js'
import { pause } from '../../base/time/machine-time.js'
import type { StoreSettings } from '../../port/store.js'
import { matchesGlob } from '../rows/glob.js'
import type { Draft, InboxListener, Message, RowSession } from '../rows/rows.js'
import { isSame, type Keyspace, NO_ROW, type Shape, unreadableRow } from '../rows/shape.js'
import { WaitedFor } from '../rows/waited-for.js'
import { Awaited } from './awaited.js'
import { ring } from './bell.js'
import { CLEAN_UP_MS, cleanUp, isDue } from './clean-up.js'
import { Clients } from './clients.js'
import { Database } from './database.js'
import { DatabaseFile } from './database-file.js'
import type { Driver } from './driver.js'
import { SqliteExpress } from './express.js'
import { isDriverError, isLocked } from './failure.js'
import { SqliteInbox } from './inbox.js'
import type { Machine } from './machine.js'
import type { SqliteTerms } from './options.js'
import { readRow, readText, writeRow } from './packed-row.js'
import { type Frame, Transactions } from './transactions.js'

/** How many names one statement reads. */
const PAGE = 500

/** One client of a database file. The first command opens the file, or makes it, unless the client only looks. */
export class SqliteSession implements RowSession, Frame {
  readonly inbox: SqliteInbox
  readonly express: SqliteExpress
  readonly #transactions: Transactions
  readonly #clients: Clients
  readonly #awaited: Awaited
  readonly #waitedFor = new WaitedFor()
  #database: Database | undefined
  /** Whether this client stands in the open database. */
  #registered = false
  /** The clients whose bells it rings once the transaction is on the disk. */
  readonly #told = new Set<string>()
  /** When it is next looked whether there is something to clean up. */
  #cleansAt = 0
  #warned = false
  #closed = false

  constructor(
    private readonly terms: SqliteTerms,
    private readonly driver: Driver,
    private readonly machine: Machine,
    private readonly settings: StoreSettings,
    listener: InboxListener,
  ) {
    this.#transactions = new Transactions(settings, this)
    this.#clients = new Clients(settings.clientId, machine.boot)
    this.#awaited = new Awaited(settings.clientId)
    this.express = new SqliteExpress(() => this.#ready(), this.#transactions, this.#waitedFor)
    this.inbox = new SqliteInbox(settings, listener, this.#transactions, this.#clients, this.#awaited)
  }

  change<Body, Result>(
    shape: Shape<Body>,
    name: string,
    change: (draft: Draft<Body>) => Result,
  ): Promise<Result> {
    return this.#transactions.add({ command: 'change', lockName: name }, (database) =>
      this.#change(database, shape, name, change),
    )
  }

  async *names(keyspace: Keyspace, pattern: string): AsyncIterable<string> {
    let last = ''
    for (;;) {
      const page = await this.#transactions.add({ command: 'names' }, (database) => {
        const rows = database.all(
          `SELECT hex(name) FROM holdfast_rows WHERE keyspace = ? AND name > ? ORDER BY name LIMIT ${PAGE}`,
          keyspace,
          last,
        )
        return () => rows.map(([name]) => readText(name))
      })
      for (const name of page) if (matchesGlob(pattern, name)) yield name
      if (page.length < PAGE) return
      last = page.at(-1) ?? ''
    }
  }

  /** Removes this client from the file, except its holds, which end with their leases. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#transactions.close()
    this.inbox.close()
    const database = this.#database
    this.#database = undefined
    if (!database) return
    for (let attempts = 1; !this.#leave(database) && attempts < 20; attempts += 1)
      await pause(attempts, undefined, { ref: false })
    database.close()
  }

  open(): Database {
    if (this.#database && !this.#database.file.inPlace) {
      if (!this.#database.file.missing) this.settings.onError(lostFile(this.#database.file.path))
      this.failed()
    }
    this.#database ??= this.#openFile()
    return this.#database
  }

  begun(database: Database): void {
    if (!this.#registered) this.#clients.register(database, false)
    this.inbox.begun(database)
  }

  committed(): void {
    this.#registered = true
    const database = this.#database
    if (!database) return
    for (const client of this.#told) ring(database.file, client)
    this.#told.clear()
    this.inbox.committed(database)
    this.#cleanUp()
  }

  /** The next command opens the file anew. */
  failed(): void {
    this.#told.clear()
    this.#registered = false
    const database = this.#database
    this.#database = undefined
    try {
      database?.close()
    } catch (error) {
      this.settings.onError(error)
    }
    this.inbox.left()
  }

  /** Takes this client out of the file. False if somebody else writes at the moment. What stays the clean-up removes some day. */
  #leave(database: Database): boolean {
    if (!this.#registered || !database.file.inPlace) return true
    try {
      database.begin()
      this.#clients.unregister(database)
      database.commit()
      return true
    } catch (error) {
      database.rollback()
      return !isLocked(error)
    }
  }

  /** The database, if this client stands in it and has nothing else to do there. */
  #ready(): Database | undefined {
    this.#cleanUp()
    const { idle } = this.#transactions
    return idle && this.#registered && !this.inbox.leavesRead && this.#database?.file.inPlace
      ? this.#database
      : undefined
  }

  #openFile(): Database {
    const file = new DatabaseFile(this.terms, (error) => {
      if (!this.#warned) this.settings.onError(error)
      this.#warned = true
    })
    return new Database(file, this.driver, this.machine)
  }

  #change<Body, Result>(
    database: Database,
    shape: Shape<Body>,
    name: string,
    change: (draft: Draft<Body>) => Result,
  ): () => Result {
    const { keyspace } = shape
    const { clientId } = this.settings
    const found = ofThat(name, () => readRow(database, keyspace, name))
    const body = found ? ofThat(name, () => shape.unpack(found)) : shape.blank()
    const holders = new Set<string>()
    const messages: Array<readonly [client: string, message: Message]> = []
    const askedAt = this.settings.schedule.clock.now()
    const { now } = database
    const result = change({
      body,
      now,
      askedAt,
      firstFence: BigInt(Math.floor(now * 1_000)),
      reaches: (client) => this.#clients.reaches(database, client),
      ended: (client) => {
        const ended = this.#clients.ended(database, client)
        if (!ended) holders.add(client)
        return ended
      },
      tell: (client, message) => {
        messages.push([client, message])
      },
    })
    const after = shape.pack(body)
    if (!isSame(found ?? NO_ROW, after)) writeRow(database, keyspace, name, after)
    for (const [client, message] of messages) this.#send(database, client, message)
    return () => {
      this.#awaited.note(keyspace, name, after.waiting, holders)
      if (keyspace === 'lock')
        this.#waitedFor.saw(
          name,
          after.waiting.some((client) => client !== clientId),
        )
      this.inbox.planLook()
      return result
    }
  }

  #send(database: Database, client: string, { keyspace, name, text }: Message): void {
    database.run(
      `INSERT INTO holdfast_messages (client, id, keyspace, name, text)
      SELECT id, (SELECT coalesce(max(id), 0) + 1 FROM holdfast_messages WHERE client = ?1), ?2, ?3, ?4
      FROM holdfast_clients WHERE id = ?1 AND listens`,
      client,
      keyspace,
      name,
      text,
    )
    this.#told.add(client)
  }

  /** With a command from time to time: a client that does nothing keeps no timer for it. */
  #cleanUp(): void {
    const { schedule, onError } = this.settings
    const now = schedule.clock.now()
    if (now < this.#cleansAt || !this.#registered) return
    this.#cleansAt = now + CLEAN_UP_MS
    this.#transactions
      .add({ command: 'clean up' }, (database) => {
        const more = isDue(database) && cleanUp(database, this.#clients, this.terms.retainMs)
        return () => {
          if (more) this.#cleansAt = 0
        }
      })
      .catch((error) => {
        if (!this.#closed) onError(error)
      })
  }
}

/** Reads that row or a part of it, and names the row in an error. */
function ofThat<Result>(name: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw isDriverError(error) ? error : unreadableRow('change', name, error)
  }
}

function lostFile(path: string): StoreError {
  const hint = `Somebody has deleted, moved or replaced ${path}: the locks held in it are lost.`
  return new StoreError('unreachable', 'open', { transient: true, hint })
}
