import { InvalidArgumentError, StoreError } from '../../base/errors/errors.js'
import type { Schedule } from '../../base/time/schedule.js'
import { withDeadline } from '../../base/time/with-deadline.js'
import type { AcquireReply, AcquireRequest, LockPort } from '../../port/lock-port.js'
import type { ServerIdentity, Store, StoreSession, StoreSettings } from '../../port/store.js'
import { Backlog } from './backlog.js'
import { SerializedPort } from './serialized-port.js'

/** How long a server has to answer the last command. */
const LAST_TRY_MS = 1_000

/** How often a session's connection has broken: afterwards, knowledge about its server may be out of date. */
type Session = StoreSession & { readonly breaks?: number }

/** A server that takes part, as it was given. */
export interface MemberStore {
  /** Its name in errors. */
  readonly label: string
  readonly store: Store
}

/** One server's part in the quorum: whether it may vote, and which votes it must still give back. */
export class Member {
  readonly label: string
  readonly port: LockPort
  readonly backlog: Backlog
  readonly #session: Session
  readonly #schedule: Schedule
  readonly #onError: (error: unknown) => void
  /** Found at first use: another member is the same server. */
  misuse: InvalidArgumentError | undefined
  #runId: string | undefined
  #lastSeenAt = -Infinity
  #votesFrom = -Infinity
  /** The connection (the number of connections that broke before it) whose server was identified, or is being identified. */
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
    const { schedule, commandTimeoutMs } = settings
    const port = this.#session.announcedLock ?? this.#session.lock
    this.port = new SerializedPort(port, schedule, commandTimeoutMs)
    this.backlog = new Backlog(this.port, settings.schedule, settings.onError)
  }

  /**
   * Asks for the server's vote. Rejects if it may not vote; the caller must give back a vote that it may have cast all the same, as for an
   * unknown outcome. The first request of each connection identifies the server.
   */
  async vote(request: AcquireRequest): Promise<AcquireReply> {
    const { breaks } = this.#session
    const looked = this.look()
    const voted = this.port.acquire(request)
    if (!looked) return await voted
    voted.catch(() => undefined)
    await looked
    const reply = await voted
    // The server that answered is not the one that was identified.
    if (this.#session.breaks !== breaks) throw this.#notReady('its connection broke meanwhile')
    if (this.barred) throw this.barred
    return reply
  }

  /** Why the server may not vote now, if that is known before asking. */
  get barred(): Error | undefined {
    if (this.misuse) return this.misuse
    const leftMs = this.#votesFrom - this.#schedule.clock.now()
    if (leftMs <= 0) return undefined
    return this.#notReady(`it was restarted, and votes again in ${Math.ceil(leftMs)} ms (restartGuardMs)`)
  }

  /** Identifies the server, unless this connection has done so. Undefined if there is nothing to identify. */
  look(): Promise<void> | undefined {
    const { breaks } = this.#session
    return breaks !== undefined && this.#lookedAt === breaks ? this.#looking : this.#look(breaks)
  }

  async close(): Promise<void> {
    const settled = this.backlog.close()
    // Does not wait for a silent server: the votes that it still has end with their lease.
    await withDeadline(this.#schedule, LAST_TRY_MS, settled)
    await this.#session.close()
    await settled
  }

  #look(breaks: number | undefined): Promise<void> | undefined {
    if (!this.#session.identity) return undefined
    const looking = this.#session.identity().then(
      (identity) => this.#know(identity),
      (error: unknown) => {
        // Without permission to ask, restarts stay unknown; if they do not matter, the server may vote.
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
    // A different process than before: it has started since then, even if a changed wall clock says otherwise.
    const restarted = this.#runId !== undefined && this.#runId !== runId
    const upMs = restarted ? Math.min(uptimeMs, now - this.#lastSeenAt) : uptimeMs
    if (this.#runId !== runId) this.#votesFrom = now + this.restartGuardMs - upMs
    this.#runId = runId
    this.#lastSeenAt = now
    const twin = this.others().find((other) => other !== this && other.#runId === runId)
    if (!twin || runId === '') return
    this.misuse = new InvalidArgumentError(
      'members',
      undefined,
      'independent servers, because the vote of one would count twice and fail twice',
      { found: `has one server twice: ${twin.label} and ${this.label} are one server under two addresses` },
    )
    throw this.misuse
  }

  /** Transient: the outcome of the command counts as unknown. */
  #notReady(why: string): StoreError {
    return new StoreError('not-ready', 'acquire', {
      transient: true,
      hint: `${this.label} may not vote: ${why}.`,
    })
  }
}
