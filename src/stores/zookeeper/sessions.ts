import { StoreError } from '../../base/errors/errors.js'
import type { TimerHandle } from '../../base/time/schedule.js'
import type { StoreSettings } from '../../port/store.js'
import type { SessionGrant } from '../session/link.js'
import { Rota } from './client/address.js'
import { deleteNode } from './client/operations.js'
import { codes, isRefusal, RefusedError } from './client/result-codes.js'
import { SessionOverError, type SessionTerms, ZooKeeperSession } from './client/session.js'
import { failureOf } from './failure.js'
import type { ZooKeeperTerms } from './options.js'

/*
 * The part of its time for which a session surely lives. The leader ends a session when it has not heard of the client for the session's time.
 * It hears of the client from the client's server, twice a tick. So its news may be as old as what that server knew half a tick before it passed
 * on a request that the leader has answered. A quarter of the time is left for that, and every eighth of it the client pings its server. A
 * keep-alive counts when a majority has answered it: a server that has lost the leader, or a leader that has lost its followers, goes on
 * answering pings for a while, and the session ends elsewhere meanwhile.
 */
const SURE = 0.75
const PING = 1 / 8
/** After this part of the session's time without an answered keep-alive the client attaches anew, which tells the leader of it. */
const TOLD = 1 / 5

/** The longest session that there is, of more than three weeks: it counts as without end. */
const LONGEST_MS = 2 ** 31 - 1

/** A client's session, which begins on demand, and those that follow it. */
export class Sessions {
  /** The one to ask by, if there is one. */
  current: ZooKeeperSession | undefined
  /** Sessions that are over for this client, while no server has confirmed their end, by name. */
  readonly #ending = new Map<string, ZooKeeperSession>()
  #beginning: Promise<ZooKeeperSession> | undefined
  /** Sessions that `close()` lets go of: the one that still begins, and those that say goodbye. */
  readonly #passing = new Set<ZooKeeperSession>()
  /** Rejects the calls that wait for the one that still begins. */
  #refuse: ((cause: Error) => void) | undefined
  /** Whether locks depend on it. */
  #taken = false
  /** Whether there are entries that depend on it. */
  #used = false
  #ping: TimerHandle | undefined
  #seenZxid = 0n
  #closed = false
  readonly #terms: SessionTerms

  constructor(
    private readonly terms: ZooKeeperTerms,
    private readonly settings: StoreSettings,
    private readonly onBegun: (session: ZooKeeperSession) => void,
    private readonly onEnded: (session: string, cause: unknown) => void,
  ) {
    const { servers, tls, identity } = terms
    const { schedule, commandTimeoutMs } = settings
    this.#terms = {
      ...{ rota: new Rota(servers), tls, identity, schedule, commandTimeoutMs },
      onSuspended: (cause) => {
        if (this.#used) this.settings.onSuspended?.(failureOf(cause, { command: 'session' }))
      },
      onExpired: (session, cause) => {
        if (this.current?.id === session.id) this.current = undefined
        this.onEnded(nameOf(session), failureOf(cause, { command: 'session' }))
      },
    }
  }

  /** One to ask by at once: it is kept alive, since something depends on it. */
  get used(): ZooKeeperSession | undefined {
    return this.#used && !this.#closed ? this.current : undefined
  }

  find(id: string): ZooKeeperSession | undefined {
    return this.current && nameOf(this.current) === id ? this.current : undefined
  }

  /** One to ask by, whatever became of others. */
  any(): Promise<ZooKeeperSession> {
    if (this.#closed) return Promise.reject(closed())
    const current = this.current
    // One that nothing depends on may have ended meanwhile.
    if (current && !this.#used && this.#untold(current) > current.timeoutMs * SURE) this.#drop(current)
    if (this.current) return Promise.resolve(this.current)
    this.#beginning ??= this.#begin(this.settings.watchdogLeaseMs).finally(() => {
      this.#beginning = undefined
    })
    return this.#beginning
  }

  async begin(leastMs: number): Promise<SessionGrant> {
    try {
      // This client has lost those locks by now; the server need not keep them from others.
      if (this.#taken && this.current) this.#drop(this.current)
      let session = await this.any()
      // It began some time ago, for a question.
      if (!(await this.keepAlive(nameOf(session)))) session = await this.any()
      const aliveMs = session.timeoutMs * SURE
      if (aliveMs < Math.min(leastMs, LONGEST_MS * SURE)) throw tooShort(session.timeoutMs, leastMs)
      this.#taken = true
      return { session: nameOf(session), aliveMs }
    } catch (error) {
      throw failureOf(error, { command: 'session' })
    }
  }

  /** Says whether entries depend on the session; without any the client sends no keep-alives. */
  use(used: boolean): void {
    if (this.#used === used) return
    this.#used = used
    this.#pingLater()
  }

  /** False: it has ended. */
  async keepAlive(id: string): Promise<boolean> {
    const session = this.find(id)
    if (!session) return false
    try {
      if (this.#untold(session) > session.timeoutMs * TOLD) session.reattach()
      // To delete a node that is not there changes nothing, but a majority has to agree before the server answers.
      await session.request(deleteNode(`${this.terms.root}/%nothing`)).catch((error: unknown) => {
        if (!(error instanceof RefusedError) || isRefusal(error, codes.sessionMoved)) throw error
      })
    } catch (error) {
      if (session.over) return false
      throw failureOf(error, { command: 'keep-alive' })
    }
    if (session.over) return false
    this.#pingLater()
    return true
  }

  async end(id: string): Promise<void> {
    const current = this.find(id)
    const session = current ?? this.#ending.get(id)
    if (!session) return
    if (current) this.#forget(current)
    this.#ending.set(id, session)
    try {
      await this.#while(session, session.end())
    } catch (error) {
      throw failureOf(error, { command: 'session' })
    }
    this.#ending.delete(id)
  }

  close(): void {
    this.#closed = true
    const session = this.current
    if (session) this.#forget(session)
    session?.abandon()
    this.#refuse?.(closed())
    for (const each of this.#passing) each.abandon()
  }

  /** For how long its server may not have heard of this client. */
  #untold({ touchedAt }: ZooKeeperSession): number {
    return this.settings.schedule.clock.now() - touchedAt
  }

  /** It ends by itself if no server is at hand. */
  #drop(session: ZooKeeperSession): void {
    this.#forget(session)
    this.#while(session, session.end()).catch(() => undefined)
  }

  #forget(session: ZooKeeperSession): void {
    this.settings.schedule.cancel(this.#ping)
    this.#seenZxid = session.seenZxid
    this.current = undefined
    this.#taken = false
  }

  async #begin(leastMs: number): Promise<ZooKeeperSession> {
    const session = new ZooKeeperSession(this.#terms, askedFor(leastMs), this.#seenZxid)
    // A pause between two attempts ends with the schedule of the client: nobody is to wait for that.
    const refused = new Promise<never>((_, reject) => {
      this.#refuse = reject
    })
    await Promise.race([this.#while(session, session.begin()), refused])
    // It may have ended since.
    if (session.over) return session
    this.current = session
    this.#taken = false
    if (this.#closed) this.close()
    else this.onBegun(session)
    return session
  }

  async #while(session: ZooKeeperSession, work: Promise<void>): Promise<void> {
    this.#passing.add(session)
    await work.finally(() => this.#passing.delete(session))
  }

  /** Once between two keep-alives. */
  #pingLater(): void {
    const { schedule } = this.settings
    const session = this.current
    schedule.cancel(this.#ping)
    this.#ping = undefined
    if (!this.#used || !session) return
    this.#ping = schedule.at(schedule.clock.now() + session.timeoutMs * PING, () => {
      // If it fails the next keep-alive will tell.
      session.ping().catch(() => undefined)
    })
  }
}

function closed(): Error {
  return new SessionOverError('the client was closed')
}

function nameOf({ id }: { readonly id: bigint }): string {
  return BigInt.asUintN(64, id).toString(16)
}

function askedFor(leastMs: number): number {
  return Math.min(Math.ceil(leastMs / SURE), LONGEST_MS)
}

function tooShort(timeoutMs: number, leastMs: number): StoreError {
  const hint =
    `The server ends sessions after ${timeoutMs} ms, and a lease of ${leastMs} ms needs one of ${askedFor(leastMs)} ms: ` +
    'raise maxSessionTimeout there, or lower watchdogMs here.'
  return new StoreError('not-ready', 'session', { transient: false, hint })
}
