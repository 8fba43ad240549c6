import { StoreError } from '../../../base/errors/errors.js'
import type { Owner } from '../../../base/identity/owner.js'
import type { Schedule, TimerHandle } from '../../../base/time/schedule.js'
import type { LeaseThread, LeaseThreadListener } from '../../../port/lease-thread.js'
import type { RedisClient } from '../connection/client.js'
import { type Credentials, credentialsOf, loginOf } from '../connection/credentials.js'
import type { LeaseKind } from '../renewals/lease-renewals.js'
import { clientSettings, copyOptions, newCredentials, withLogin } from './client-settings.js'
import { Heartbeat } from './heartbeat.js'
import { instantOf, refuseOwnClocks } from './instant.js'
import type { Report, Terms, ThreadSettings } from './messages.js'
import { networkDefaults } from './network-defaults.js'
import type { ThreadSession } from './thread-session.js'
import { failureTold } from './told-failure.js'
import { WatchedLease } from './watched-lease.js'

/** How many signs of life the main thread gives within `maxBlockedMs`. */
const BEATS_PER_BLOCK = 10
const LONGEST_BEAT_MS = 1_000
/** The pause before a new thread, doubled with each that fails early, up to the longest. */
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

/** The thread, for the leases of one kind. */
export type KindThread = LeaseThread & Pick<ThreadRenewals, 'start'>

/**
 * Renews leases in a separate thread, over its own connection, so that work that blocks the main thread's event loop costs no lock. If
 * the thread dies, another one follows after a pause; meanwhile the main thread renews.
 */
export class ThreadRenewals implements LeaseThread {
  readonly #leases = new Map<number, WatchedLease>()
  readonly #heartbeat = new Heartbeat()
  readonly #settings: Omit<ThreadSettings, 'client'>
  readonly #beatMs: number
  #session: ThreadSession | undefined
  /** The credentials that the thread knows. */
  #credentials: Credentials = {}
  /** Asks for new credentials, where the application's client asks too. */
  readonly #login: (() => Promise<Credentials>) | undefined
  #asking = false
  #starting: Promise<void> | undefined
  #startedAt = 0
  #failures = 0
  #notBefore = -Infinity
  #restart: TimerHandle | undefined
  #nextBeat: TimerHandle | undefined
  #closed = false
  #ids = 0
  readonly #tell: WatchedLease['tell'] = {
    changed: (lease) => lease.session?.send({ kind: 'update', id: lease.id, ...this.#termsOf(lease) }),
    removed: (lease) => this.#remove(lease),
  }

  /** @throws `InvalidArgumentError` if a thread cannot have a copy of an option that matters, and in Bun and Deno. */
  constructor(
    private readonly client: RedisClient,
    settings: Omit<ThreadSettings, 'client' | 'network' | 'heartbeat'>,
    private readonly schedule: Schedule,
    /** Called when a thread dies, and with failures that belong to no lease. */
    private readonly onError: (error: unknown) => void,
  ) {
    refuseOwnClocks()
    this.#beatMs = Math.min(settings.maxBlockedMs / BEATS_PER_BLOCK, LONGEST_BEAT_MS)
    // Refuses such options now, not when the first lease needs the thread.
    clientSettings(client)
    this.#login = loginOf(client)
    this.#settings = { ...settings, network: networkDefaults(), heartbeat: this.#heartbeat.memory }
  }

  /** The same thread, for leases of that kind. */
  of(kind: LeaseKind): KindThread {
    const all = this
    return {
      get working() {
        return all.working
      },
      start: () => all.start(),
      add: (...lease) => all.add(...lease, kind),
    }
  }

  /** Whether there is a thread to renew them. */
  get working(): boolean {
    return this.#session !== undefined
  }

  /**
   * Starts the thread. Await it before the first acquire that needs the thread, because the event loop may block right after the grant.
   * Undefined if there is nothing to wait for: the thread runs, or has failed, and another one will follow.
   */
  start(): Promise<void> | undefined {
    if (this.#starting) return this.#starting
    if (this.#closed || this.#session || this.schedule.clock.now() < this.#notBefore) return undefined
    const starting = this.#start().finally(() => {
      this.#starting = undefined
    })
    this.#starting = starting
    return starting
  }

  add(
    name: string,
    owner: Owner,
    deadline: number,
    renewUntil: number,
    listener: LeaseThreadListener,
    of: LeaseKind = 'lock',
  ): WatchedLease {
    this.#ids += 1
    const { clock } = this.schedule
    const lease = new WatchedLease(
      this.#ids,
      of,
      name,
      owner,
      deadline,
      renewUntil,
      listener,
      clock,
      this.#tell,
    )
    this.#leases.set(lease.id, lease)
    this.#heartbeat.beat()
    this.#nextBeat ??= this.#beatLater()
    if (this.#session) this.#hand(lease, this.#session)
    else this.#startLater()
    return lease
  }

  /** Ends the thread and its connections. Renewals stop. */
  async close(): Promise<void> {
    this.#closed = true
    for (const lease of [...this.#leases.values()]) this.#remove(lease)
    await this.#starting
    await this.#session?.close()
    this.#session = undefined
  }

  async #start(): Promise<void> {
    try {
      const { ThreadSession } = await import('./thread-session.js')
      this.#startedAt = this.schedule.clock.now()
      const login = copyOptions((await this.#login?.()) ?? {})
      if (this.#closed) return
      this.#credentials = credentialsOf(this.client)
      const settings = { ...this.#settings, client: withLogin(clientSettings(this.client), login) }
      const session = new ThreadSession(
        settings,
        (report) => this.#heard(report),
        (cause) => this.#broken(cause),
      )
      this.#session = session
      for (const lease of this.#leases.values()) this.#hand(lease, session)
    } catch (error) {
      this.#broken(error)
    }
  }

  /** Passes on new credentials of the application's client. While the main thread blocks, the thread goes on with those that it knows. */
  #tellCredentials(session: ThreadSession): void {
    const credentials = newCredentials(this.client, this.#credentials)
    if (!credentials) return
    this.#credentials = credentials
    try {
      session.send({ kind: 'credentials', credentials: copyOptions(credentials) })
    } catch (error) {
      this.onError(error)
    }
  }

  /** Asks for new credentials when the thread fails: the server may have refused old ones. */
  #askLogin(): void {
    const session = this.#session
    if (!this.#login || !session || this.#asking) return
    this.#asking = true
    this.#login()
      .then((login) => session.send({ kind: 'credentials', credentials: copyOptions(login) }))
      .catch(this.onError)
      .finally(() => {
        this.#asking = false
      })
  }

  #hand(lease: WatchedLease, session: ThreadSession): void {
    this.#tellCredentials(session)
    lease.renewedBy(session)
    const { id, memory, of, name, owner } = lease
    session.send({ kind: 'watch', id, memory, of, name, owner, ...this.#termsOf(lease) })
  }

  #termsOf({ deadline, renewUntil }: WatchedLease): Terms {
    const { clock } = this.schedule
    return { deadline: instantOf(deadline, clock), renewUntil: instantOf(renewUntil, clock) }
  }

  #remove(lease: WatchedLease): void {
    if (!this.#leases.delete(lease.id)) return
    lease.session?.send({ kind: 'unwatch', id: lease.id })
    lease.renewedBy(undefined)
    if (this.#leases.size > 0) return
    this.schedule.cancel(this.#nextBeat)
    this.schedule.cancel(this.#restart)
    this.#nextBeat = undefined
    this.#restart = undefined
  }

  #heard(report: Report): void {
    switch (report.kind) {
      case 'renewed':
        for (const id of report.ids) this.#about(id, (lease) => lease.listener.renewed(lease))
        break
      case 'failed':
        this.#askLogin()
        this.#about(report.id, (lease) => lease.listener.failed(lease, failureTold(report.failure)))
        break
      case 'lost':
        this.#about(report.id, (lease) => lease.listener.lost(lease))
        break
      case 'trouble':
        this.#askLogin()
        this.onError(failureTold(report.failure))
        break
    }
  }

  /** Ignores reports about a lease that the main thread has removed meanwhile. */
  #about(id: number, tell: (lease: WatchedLease) => void): void {
    const lease = this.#leases.get(id)
    if (lease) tell(lease)
  }

  #broken(cause: unknown): void {
    this.#session = undefined
    for (const lease of this.#leases.values()) lease.renewedBy(undefined)
    const now = this.schedule.clock.now()
    this.#failures = now - this.#startedAt > LONGEST_PAUSE_MS ? 1 : this.#failures + 1
    this.#notBefore = now + Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), LONGEST_PAUSE_MS)
    this.#startLater()
    this.onError(
      new StoreError('unknown', 'watchdog thread', {
        cause,
        transient: true,
        hint: 'The main thread renews leases until a new thread runs; meanwhile a blocked event loop may lose locks.',
      }),
    )
    for (const listener of new Set([...this.#leases.values()].map((lease) => lease.listener)))
      listener.broken()
  }

  #startLater(): void {
    if (this.#leases.size === 0 || this.#restart || this.#starting || this.#closed) return
    this.#restart = this.schedule.at(this.#notBefore, () => {
      this.#restart = undefined
      void this.start()
    })
  }

  #beatLater(): TimerHandle {
    return this.schedule.at(this.schedule.clock.now() + this.#beatMs, () => {
      this.#nextBeat = this.#beatLater()
      if (this.#session) this.#tellCredentials(this.#session)
      const wasGivenUp = this.#heartbeat.ageMs() > this.#settings.maxBlockedMs
      this.#heartbeat.beat()
      // The thread dropped leases because of that; they may still be ours.
      if (wasGivenUp) this.#session?.send({ kind: 'awake' })
    })
  }
}
