import { StoreError } from '../../base/errors/errors.js'
import type { StoreSettings } from '../../port/store.js'
import { asOwner, clientOf } from '../line/place.js'
import type { InboxListener, Versioned } from '../rows/rows.js'
import { oneOf, only, type SqlRow } from '../sql/connection.js'
import type { Connections } from '../sql/connections.js'
import { question } from '../sql/question.js'
import { statements, textArray } from './statements.js'

const NOTIFY = 'NOTIFY'

/** How often the client asks whether there is room again. */
const LOOK_MS = 1_000

/**
 * The server's queue of messages, as far as this client knows it. While it is full, no statement that sends a message succeeds: then locks
 * change without messages, no client counts as reachable, and waiters poll, as behind a pooler.
 */
export class NotifyQueue {
  #full = false
  #lookedAt = -Infinity
  /** The clients that this has made look since. */
  readonly #roused = new Set<string>()

  constructor(
    private readonly connections: Pick<Connections, 'query' | 'read'>,
    private readonly settings: Pick<StoreSettings, 'schedule' | 'clientId' | 'onError'>,
    private readonly listener: Pick<InboxListener, 'missed'>,
  ) {}

  get full(): boolean {
    return this.#full
  }

  /** Notes what a statement has shown of it. */
  found(full: boolean): void {
    if (full === this.#full) return
    this.#full = full
    this.#lookedAt = -Infinity
    if (full) this.settings.onError(queueIsFull())
    // The waiters of this client begin to poll, or stop.
    this.listener.missed()
  }

  /**
   * Asks whether a full queue is still full. The question makes the server discard what nobody needs: otherwise the queue may stay full
   * after the program that held it up has gone.
   */
  async look(): Promise<void> {
    const now = this.settings.schedule.clock.now()
    if (!this.#full || now < this.#lookedAt + LOOK_MS) return
    this.#lookedAt = now
    this.#roused.clear()
    this.found(await this.connections.read(question(statements.queue, undefined, NOTIFY), isFull))
  }

  /** The row while the queue is full: nobody in it is reachable. Its waiters look by themselves, and begin to poll. */
  deaf(row: Versioned): Versioned {
    const waiting = row.packed?.waiting ?? []
    const owner = asOwner(row.packed?.owner)
    this.#rouse(waiting)
    const unreachable = new Set([...waiting, this.settings.clientId])
    if (owner !== undefined) unreachable.add(clientOf(owner))
    return { ...row, unreachable }
  }

  /** Ends the connections on which they listen: that much they hear, if this user may do it. */
  #rouse(waiting: readonly string[]): void {
    const { clientId } = this.settings
    const clients = waiting.filter((client) => client !== clientId && !this.#roused.has(client))
    if (clients.length === 0) return
    for (const client of clients) this.#roused.add(client)
    const asked = question(statements.endListening, [textArray(clients)], NOTIFY)
    this.connections.query(asked).catch(() => undefined)
  }
}

/** Whether the answer to that statement, or to `process`, shows it full. */
export function isFull(rows: readonly SqlRow[]): boolean {
  return oneOf(only(rows), 'full', 'true', 'false') === 'true'
}

export function queueIsFull(): StoreError {
  return new StoreError('not-ready', NOTIFY, {
    transient: true,
    hint:
      "The server's queue of notifications is full, so no messages come: calls that wait ask again and again until there is room. Some session " +
      'listens and does not end its transaction (pg_stat_activity, xact_start): end it.',
  })
}
