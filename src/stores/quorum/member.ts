import { InvalidArgumentError, StoreError } from '../../base/errors/errors.js'
import { withDeadline } from '../../base/time/with-deadline.js'
import type { AcquireReply, AcquireRequest, LockPort } from '../../port/lock-port.js'
import type { ServerIdentity, Store, StoreSession, StoreSettings } from '../../port/store.js'
import { Backlog } from './backlog.js'
import { MARK_MS, type Mark } from './mark.js'
import { SerializedPort } from './serialized-port.js'

/** How long a server has to answer the last command. */
const LAST_TRY_MS = 1_000

/** How often a session's connection has broken: afterwards, knowledge about its server may be out of date. */
type Session = StoreSession & { readonly breaks?: number }

/** A server of the quorum, as the caller gave it. */
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
  /** Found at first use: another member is the same server. */
  misuse: InvalidArgumentError | undefined
  #runId: string | undefined
  #lastSeenAt = -Infinity
  #votesFrom = -Infinity
  /** The connection, by the number of broken ones before it, whose server this client has identified, or is about to. */
  #lookedAt: number | undefined
  #looking: Promise<void> | undefined
  #markAgainAt = -Infinity

  constructor(
    { label, store }: MemberStore,
    private readonly settings: StoreSettings,
    private readonly restartGuardMs: number,
    private readonly others: () => readonly Member[],
    private readonly mark: Mark,
  ) {
    this.label = label
    this.#session = store.open(settings)
    const { schedule, commandTimeoutMs, onError } = settings
    const port = this.#session.announcedLock ?? this.#session.lock
    this.port = new SerializedPort(port, schedule, commandTimeoutMs)
    this.backlog = new Backlog(this.port, schedule, onError)
  }

  /**
   * Asks for the server's vote. Rejects if it may not vote; the caller must give back a vote that it may still have cast, as for an unknown
   * outcome. The first request of each connection identifies the server.
   */
  async vote(request: AcquireRequest): Promise<AcquireReply> {
    const { breaks } = this.#session
    const looked = this.look()
    const voted = this.port.acquire(request)
    voted.catch(() => undefined)
    await looked
    const reply = await voted
    // Another server has answered than the identified one.
    if (this.#session.breaks !== breaks) throw this.#notReady('its connection broke meanwhile')
    if (this.barred) throw this.barred
    return reply
  }

  /** Why the server may not vote now, if the client knows before it asks. */
  get barred(): Error | undefined {
    if (this.misuse) return this.misuse
    const leftMs = this.#votesFrom - this.settings.schedule.clock.now()
    if (leftMs <= 0) return undefined
    return this.#notReady(`it was restarted, and votes again in ${Math.ceil(leftMs)} ms (restartGuardMs)`)
  }

  /** Identifies the server, unless this connection has done so. */
  look(): Promise<void> {
    const { breaks, identity } = this.#session
    const isNew = this.#lookedAt !== breaks || (breaks === undefined && identity !== undefined)
    if (isNew || this.#looking === undefined) {
      this.#lookedAt = breaks
      this.#markAgainAt = -Infinity
      return this.#begin(this.#identify())
    }
    const stale = this.mark.wanted && this.settings.schedule.clock.now() >= this.#markAgainAt
    return stale ? this.#begin(this.#leaveMark()) : this.#looking
  }

  async close(): Promise<void> {
    const settled = this.backlog.close()
    // Does not wait for a silent server: the votes that it still has end with their lease.
    await withDeadline(this.settings.schedule, LAST_TRY_MS, settled)
    await this.#session.close()
    await settled
  }

  #begin(work: Promise<void>): Promise<void> {
    const looking = work.catch((error: unknown) => {
      if (this.#looking === looking) this.#looking = undefined
      throw error
    })
    looking.catch(() => undefined)
    this.#looking = looking
    return looking
  }

  async #identify(): Promise<void> {
    const identity = await this.#session.identity?.().catch((error: unknown) => {
      // Without permission to ask, restarts stay unknown; if they do not matter, the server may vote.
      if (this.restartGuardMs > 0) throw error
      this.#tellIfFinal(error)
    })
    if (identity) this.#know(identity)
    if (!this.#runId) this.mark.wanted = true
    if (this.mark.wanted) await this.#leaveMark()
  }

  /** Leaves a mark on the server, or finds that of another member. */
  async #leaveMark(): Promise<void> {
    const { mark } = this
    const again = this.settings.schedule.clock.now() + MARK_MS / 2
    this.#markAgainAt = Infinity
    try {
      const reply = await this.port.acquire(mark.requestOf(this.others().indexOf(this)))
      if (reply.outcome === 'busy') this.#refuse(this.others()[mark.indexOf(reply.holder)])
      this.#markAgainAt = again
    } catch (error) {
      this.#tellIfFinal(error)
    }
  }

  #tellIfFinal(error: unknown): void {
    if (!(error instanceof StoreError) || error.transient) throw error
    this.settings.onError(error)
  }

  #know({ runId, uptimeMs }: ServerIdentity): void {
    const now = this.settings.schedule.clock.now()
    // A different process than before: it has started since then, even if a changed wall clock says otherwise.
    const restarted = this.#runId !== undefined && this.#runId !== runId
    const upMs = restarted ? Math.min(uptimeMs, now - this.#lastSeenAt) : uptimeMs
    if (this.#runId !== runId) this.#votesFrom = now + this.restartGuardMs - upMs
    this.#runId = runId
    this.#lastSeenAt = now
    if (runId !== '') this.#refuse(this.others().find((other) => other !== this && other.#runId === runId))
  }

  #refuse(twin: Member | undefined): void {
    if (!twin || twin === this) return
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
