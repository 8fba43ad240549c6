import { retryPauseMs } from '../../base/time/back-off.js'
import type { Clock } from '../../base/time/clock.js'
import { pause } from '../../base/time/schedule.js'
import { isTransient } from '../../port/failure.js'
import { firstLeaseMs } from '../../port/lease.js'
import type { News, Polls, Watch } from '../../port/lock-port.js'
import type { StoreSettings } from '../../port/store.js'
import { LeftPlaces } from '../line/left-places.js'
import type { Place } from '../line/place.js'
import { Words } from '../line/proof.js'
import { addressOf, Letters, newsIn } from './letters.js'
import { enlist, unlist } from './listeners.js'
import { POLLS } from './polls.js'
import { Refusals } from './refusals.js'
import type { Draft, Express, Inbox, RowSession, Rows } from './rows.js'
import type { Keyspace, Shape } from './shape.js'
import type { Ties } from './ties.js'
import type { Told } from './told.js'

/** A row that lists clients to tell of every change. */
export interface Heard {
  readonly listeners: string[]
}

/** What the ports of one client of a store with rows share. */
export class RowClient {
  readonly id: string
  /** How long a grant in line lasts until its process takes over, and after how long a new place looks for the first time. */
  readonly firstLeaseMs: number
  readonly #leftPlaces: LeftPlaces
  readonly #words = new Words()
  readonly letters: Letters
  readonly refusals: Refusals
  readonly #session: RowSession
  #closed = false

  constructor(
    rows: Rows,
    private readonly settings: StoreSettings,
  ) {
    this.id = settings.clientId
    this.firstLeaseMs = firstLeaseMs(settings.watchdogLeaseMs)
    this.refusals = new Refusals(settings.schedule.clock)
    this.#leftPlaces = new LeftPlaces(settings.schedule.clock, settings.onError)
    this.letters = new Letters(this.#leftPlaces, this.#words)
    this.#session = rows.openRows(settings, this.letters)
  }

  /** The lease clock of this client. */
  get clock(): Pick<Clock, 'now'> {
    return this.settings.schedule.clock
  }

  /**
   * Whether the watchdog prolongs a grant in line to a lease of that length: then taking it over changes nothing. (A quarantine has to be
   * added.)
   */
  prolongs(leaseMs: number): boolean {
    const { watchdogLeaseMs, quarantineMs } = this.settings
    return leaseMs === watchdogLeaseMs && quarantineMs === 0
  }

  get quarantineMs(): number {
    return this.settings.quarantineMs
  }

  get inbox(): Inbox | undefined {
    return this.#session.inbox
  }

  get express(): Express | undefined {
    return this.#session.express
  }

  get ties(): Ties | undefined {
    return this.#session.ties
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
      read({ ...draft, body: structuredClone(draft.body), tell: () => undefined }),
    )
  }

  /** Notes that the call of that place has left, and gives back a later grant. */
  left(keyspace: Keyspace, name: string, place: Place, giveBack: () => Promise<unknown>): void {
    this.#leftPlaces.add(place, addressOf(keyspace, name), giveBack)
  }

  /**
   * Notes that the owner of that place asks again: from now on a grant is its own, however late the message. Resolves when this client has
   * given back the earlier grant to that place.
   */
  isBack(keyspace: Keyspace, name: string, place: Place): Promise<void> | undefined {
    return this.#leftPlaces.delete(place, addressOf(keyspace, name))
  }

  /** The word that proves a grant in that row's line to this client. */
  wordOf(keyspace: Keyspace, name: string): string {
    return this.#words.of(addressOf(keyspace, name))
  }

  names(keyspace: Keyspace, pattern: string): AsyncIterable<string> {
    return this.#session.names(keyspace, pattern)
  }

  /** Calls `read` with each message about that row, and without one when the client may have missed some. */
  watch(keyspace: Keyspace, name: string, read: (told?: Told) => void, onClose?: () => void): Watch {
    const { inbox } = this
    if (inbox) return this.letters.watch(inbox, keyspace, name, read, onClose)
    // Never called by waiters, which poll.
    return { confirmed: Promise.resolve(), close: () => undefined }
  }

  /** Calls back on every change of that row, from the confirmation until the last watch closes. */
  listen<Body extends Heard>(name: string, shape: Shape<Body>, onNews: (news?: News) => void): Watch {
    const { keyspace } = shape
    const list = (): Promise<void> =>
      this.change(shape, name, ({ body }) => {
        // After the last watch has closed and unlisted this client, an entry would stay for ever.
        if (this.letters.awaits(keyspace, name)) enlist(body.listeners, this.id)
      })
    let gaps = 0
    // Other clients unlist one that no message reaches.
    const listAgain = async (): Promise<void> => {
      gaps += 1
      const nth = gaps
      await this.#insist(list, () => nth !== gaps)
      // Nobody told this client of changes while it was unlisted.
      if (nth === gaps) onNews()
    }
    const read = (told?: Told): void => {
      const heard = newsIn(told)
      if (heard) onNews(heard.news)
      // While no messages come, others would unlist it again.
      if (!told && this.inbox?.open) listAgain().catch(this.settings.onError)
    }
    const watch = this.watch(keyspace, name, read, () => {
      this.#unlist(name, shape).catch(this.settings.onError)
    })
    const confirmed = watch.confirmed.then(list)
    let listed = false
    confirmed.then(
      () => {
        listed = true
      },
      () => undefined,
    )
    return {
      confirmed,
      get inForce() {
        return listed && watch.inForce === true
      },
      doubt: () => watch.doubt?.(),
      close: () => {
        gaps += 1
        watch.close()
      },
    }
  }

  /** Unlists this client, unless it listens again. */
  #unlist<Body extends Heard>(name: string, shape: Shape<Body>): Promise<void> {
    const listens = (): boolean => this.letters.awaits(shape.keyspace, name)
    const takeOff = (): Promise<void> =>
      this.change(shape, name, ({ body }) => {
        // A new watch may have listed this client before this change reached the row.
        if (!listens()) unlist(body.listeners, this.id)
      })
    return this.#insist(takeOff, listens)
  }

  /** Repeats that change until the store takes it, the change is in vain, or this client closes and nobody reaches it any more. */
  async #insist(change: () => Promise<void>, inVain: () => boolean): Promise<void> {
    const { schedule, onError } = this.settings
    for (let failures = 1; !this.#closed && !inVain(); failures += 1) {
      try {
        return await change()
      } catch (error) {
        if (!isTransient(error)) throw error
        onError(error)
      }
      await pause(schedule, retryPauseMs(failures))
    }
  }

  close(): Promise<void> {
    this.#closed = true
    return this.#session.close()
  }
}
