import { InvalidArgumentError, StoreError } from '../errors/errors.js'
import type { AcquireReply, AcquireRequest, LockPort } from '../ports/lock-port.js'
import type { ServerIdentity, Store, StoreSession, StoreSettings } from '../ports/store.js'
import type { Schedule } from '../time/schedule.js'
import { withDeadline } from '../time/with-deadline.js'
import { Backlog } from './backlog.js'
import { SerializedPort } from './serialized-port.js'

/** How long a server has to answer what it is told last. */
const LAST_TRY_MS = 1_000

/** How often a session's connection has broken: what was known of its server before need not be true after. */
type Session = StoreSession & { readonly breaks?: number }

/** A server that takes part, as it was given. */
export interface MemberStore {
  /** How it is called in errors. */
  readonly label: string
  readonly store: Store
}

/** One server's part in the quorum: whether it may vote, and what it is still to be told. */
export class Member {
  readonly label: string
  readonly port: LockPort
  readonly backlog: Backlog
  readonly #session: Session
  readonly #schedule: Schedule
  readonly #onError: (error: unknown) => void
  /** Found at first use: this server is another member too. */
  misuse: InvalidArgumentError | undefined
  #runId: string | undefined
  #lastSeenAt = Number.NEGATIVE_INFINITY
  #votesFrom = Number.NEGATIVE_INFINITY
  /** The connection (by the number of those that broke before it) whose server has been looked at, or is being. */
  #lookedAt: number | undefined
  #looking: Promise<void> | undefined

  constructor(
    { label, store }: MemberStore,
    settings: StoreSettings,
    private readonly restartGuardMs: number,
    private readonly others: () => readonly Member[],
  ) {
    this.label = label
    this.#schedule = settings.schedule
    this.#onError = settings.onError
    this.#session = store.open(settings)
    this.port = new SerializedPort(this.#session.announcedLock ?? this.#session.lock)
    this.backlog = new Backlog(this.port, settings.schedule, settings.onError)
  }

  /**
   * Asks for the server's vote. Rejects where it may not vote; a vote that it may have cast all the same is to be given back, as
   * one of unknown outcome. The server is looked at once for each connection, on the way of the first request.
   */
  async vote(request: AcquireRequest): Promise<AcquireReply> {
    const { breaks } = this.#session
    const looked = this.look()
    const voted = this.port.acquire(request)
    if (!looked) return await voted
    voted.catch(() => undefined)
    await looked
    const reply = await voted
    // Whoever answered was not the server that was looked at.
    if (this.#session.breaks !== breaks) throw this.#notReady('its connection broke meanwhile')
    if (this.barred) throw this.barred
    return reply
  }

  /** Why the server may not vote now, as far as is known before it is asked. */
  get barred(): Error | undefined {
    if (this.misuse) return this.misuse
    const leftMs = this.#votesFrom - this.#schedule.clock.now()
    if (leftMs <= 0) return undefined
    return this.#notReady(`it was restarted, and votes again in ${Math.ceil(leftMs)} ms (restartGuardMs)`)
  }

  /** Has the server looked at, unless that was done on this connection. Undefined where there is nothing to look at. */
  look(): Promise<void> | undefined {
    const { breaks } = this.#session
    return breaks !== undefined && this.#lookedAt === breaks ? this.#looking : this.#look(breaks)
  }

  async close(): Promise<void> {
    const settled = this.backlog.close()
    // A server that does not answer is not waited for: what it is still owed ends with its lease.
    await withDeadline(this.#schedule, LAST_TRY_MS, settled)
    await this.#session.close()
    await settled
  }

  #look(breaks: number | undefined): Promise<void> | undefined {
    if (!this.#session.identity) return undefined
    const looking = this.#session.identity().then(
      (identity) => this.#know(identity),
      (error: unknown) => {
        // Without the right to ask, nothing is known of restarts; where that does not matter, the server may vote.
        if (this.restartGuardMs > 0 || !(error instanceof StoreError) || error.transient) {
          if (this.#looking === looking) this.#lookedAt = undefined
          throw error
        }
        this.#onError(error)
      },
    )
    this.#lookedAt = breaks
    this.#looking = looking
    looking.catch(() => undefined)
    return looking
  }

  #know({ runId, uptimeMs }: ServerIdentity): void {
    const now = this.#schedule.clock.now()
    // Another process since it was last seen: it has started since then, whatever a wall clock that was set makes of it.
    const restarted = this.#runId !== undefined && this.#runId !== runId
    const upMs = restarted ? Math.min(uptimeMs, now - this.#lastSeenAt) : uptimeMs
    if (this.#runId !== runId) this.#votesFrom = now + this.restartGuardMs - upMs
    this.#runId = runId
    this.#lastSeenAt = now
    const twin = this.others().find((other) => other !== this && other.#runId === runId)
    if (!twin || runId === '') return
    this.misuse = new InvalidArgumentError(
      'members',
      [twin.label, this.label],
      `independent servers; ${twin.label} and ${this.label} are one server under two addresses, ` +
        'whose vote would count twice and fail twice',
    )
    throw this.misuse
  }

  /** Transient: the outcome of what was sent counts as unknown. */
  #notReady(why: string): StoreError {
    return new StoreError('not-ready', 'acquire', {
      transient: true,
      hint: `${this.label} may not vote: ${why}.`,
    })
  }
}
