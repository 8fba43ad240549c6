import { EventEmitter } from 'eventemitter3'
import { checkFunction, checkName, invalidNumber } from '../base/checks/checks.js'
import { ClosedError } from '../base/errors/errors.js'
import { clean, quoted } from '../base/errors/holdfast-error.js'
import { UnsupportedKindError } from '../base/errors/unsupported-kind-error.js'
import { ownerText } from '../base/identity/label.js'
import { type Owner, Owners, Scope } from '../base/identity/owner.js'
import { SystemClock, sleepMeter } from '../base/time/clock.js'
import { Schedule } from '../base/time/schedule.js'
import type { KindContext } from '../kinds/acquiring/acquirer.js'
import { lock } from '../kinds/kinds.js'
import { Lock } from '../kinds/lock.js'
import { type LockOptions, withLockOptions } from '../kinds/options/lock-options.js'
import type { HoldfastEvents } from '../observe/events/events.js'
import type { HoldfastMetrics } from '../observe/metrics/metrics.js'
import type { LockState } from '../port/lock-port.js'
import { sheltered } from '../port/sheltered.js'
import { keptIn, PORT_VERSION, type Store } from '../port/store.js'
import type { RedisClient } from '../stores/redis/connection/client.js'
import { RedisLockStore } from '../stores/redis/lock-session.js'
import { storeOf } from '../stores/redis/store-of.js'
import { type ClientOptions, checkClientOptions } from './client-options.js'
import { type CloseOptions, Closing } from './closing.js'
import { defaultStore } from './default-store.js'
import { Kinds } from './registry.js'

/** The number of live objects of each sort in a client. */
export type Census = Readonly<
  Record<'gates' | 'calls' | 'tenures' | 'watched' | 'orphans' | 'scopes' | 'timers', number>
>

/** The kinds of locks of a client, for what is built on it. */
const kindsOfClients = new WeakMap<LockClient, Kinds>()

export function kindsOf(client: LockClient): Kinds {
  const kinds = kindsOfClients.get(client)
  if (!kinds) throw new TypeError('a client has kinds from its construction on')
  return kinds
}

/**
 * The client for the plain lock alone, for bundles that should stay small; `Holdfast` is one with every kind of lock. Creates locks,
 * knows the owner of the running code, and owns the connections that it opened. One per process and server is enough.
 */
export class LockClient extends EventEmitter<HoldfastEvents> {
  readonly #kinds: Kinds
  readonly #plain: KindContext
  readonly #closing: Closing
  readonly #lists: boolean

  /**
   * Locks are where the command line has them: on the server that `HOLDFAST_URL` names, or else in a file of this user. With options, write
   * `storeAt()` of `holdfast/url` for that. Connects only on first use.
   *
   * @throws `StoreError` if what the store needs is not installed.
   */
  constructor()
  /**
   * @param clientOrStore an ioredis (or iovalkey) `Redis` or `Cluster`, or a store. Holdfast never sends commands over a client and
   *   never closes it; it opens its own connections with `duplicate()`. Connects only on first use.
   * @throws `InvalidArgumentError` if an option is invalid.
   */
  constructor(clientOrStore: RedisClient | Store, options?: ClientOptions)
  constructor(...given: [clientOrStore?: RedisClient | Store, options?: ClientOptions]) {
    super()
    const [clientOrStore, options = {}] = given
    const settings = checkClientOptions(options)
    const store =
      given.length === 0 ? defaultStore() : storeOf(clientOrStore, (client) => new RedisLockStore(client))
    const { portVersion = PORT_VERSION } = store
    if (portVersion !== PORT_VERSION)
      throw invalidNumber('store.portVersion', portVersion, `${PORT_VERSION}, the version of this Holdfast`)
    const clock = store.clock ?? new SystemClock(sleepMeter())
    this.#lists = store.traits?.lists ?? true
    const schedule = new Schedule(clock, (error) => this.#emitSafely('error', error))
    const owners = new Owners(settings.label)
    const session = sheltered(store).open({
      schedule,
      clientId: owners.clientId,
      watchdogLeaseMs: settings.watchdogMs + settings.quarantineMs,
      quarantineMs: settings.quarantineMs,
      commandTimeoutMs: settings.commandTimeoutMs,
      // What breaks when the client closes its connections is no news.
      onError: (error) => {
        if (!this.#closing?.sessionClosed) this.#emitSafely('error', clean(error))
      },
      onLost: (loss) => this.#kinds.lost(loss),
      onSuspended: (cause) => this.#kinds.suspended(clean(cause)),
    })
    const { lingerMs } = settings
    if (lingerMs !== 'auto' && lingerMs > 0 && !session.lock.line?.hearAsks) {
      void session.close()
      throw invalidNumber('lingerMs', lingerMs, "0 or 'auto', because locks cannot linger in this store")
    }
    this.#kinds = new Kinds(session, owners, schedule, settings, {
      emit: (event, ...payload) => this.#emitSafely(event, ...payload),
      hears: (event) => this.listenerCount(event) > 0,
    })
    kindsOfClients.set(this, this.#kinds)
    this.#plain = this.#kinds.of(lock)
    this.#closing = new Closing(this.#kinds)
  }

  /**
   * The reentrant lock of that name. Sends nothing.
   *
   * @param name any well-formed string; the key in the store is the client's `keyPrefix` followed by it.
   * @throws `InvalidArgumentError` if an option is invalid, or the store does not support it.
   */
  lock(name: string, options: LockOptions = {}): Lock {
    return new Lock(checkName(name), withLockOptions(this.#plain, options))
  }

  /**
   * Runs `body` as one logical thread: `lock()`, `unlock()` and `tryLock()` in its asynchronous context act for its owner.
   * Inside another scope it keeps that scope's owner, so that code with its own scope can be nested.
   *
   * @returns the result of `body`, and rejects as it rejects. If `body` leaves a lock locked, Holdfast stops renewing it and emits a
   *   `warning`.
   */
  async run<Result>(body: () => Result | PromiseLike<Result>): Promise<Awaited<Result>> {
    checkFunction('body', body)
    const outer = this.#kinds.owners.current()
    const scope = new Scope(outer?.owner ?? this.#kinds.owners.next(), outer)
    try {
      return await this.#kinds.owners.within(scope, body)
    } finally {
      this.#leave(scope.owner)
    }
  }

  /** A new owner, for code without an asynchronous context to carry one: pass it as `owner`. */
  owner(): Owner {
    return this.#kinds.owners.next()
  }

  /**
   * The locks in the store that are held now, by any owner. Scans the key space step by step: for operators, not for hot paths.
   *
   * @param pattern a glob (`*`, `?`, `[a-z]`) over names. Default: all.
   * @throws `UnsupportedKindError` if the store cannot list its locks.
   */
  async *list(pattern = '*'): AsyncIterable<LockState> {
    if (this.#closing.begun) throw new ClosedError()
    if (!this.#lists) throw new UnsupportedKindError('list of its locks', keptIn(this.#kinds.session))
    const { locker } = this.#plain
    const states = this.#kinds.session.lock.list(checkName(pattern))[Symbol.asyncIterator]()
    // Those that may have nobody inside come last: all of them are asked at once.
    const lingering: string[] = []
    try {
      for (;;) {
        const { done, value } = await locker.query(() => states.next())
        if (done) break
        if (value.lingers) lingering.push(value.name)
        else yield locker.translated(value)
      }
      const asked = await Promise.all(lingering.map((name) => locker.inspect(name)))
      yield* asked.filter(({ owners }) => owners.length > 0)
    } finally {
      const ended = states.return?.()
      // Which comes after the step under way: where that is given up, so is this.
      if (ended && locker.closed) ended.catch(() => undefined)
      else if (ended) await locker.query(() => ended)
    }
  }

  /**
   * Ends all waits with `ClosedError`, refuses new ones, stops the watchdog and closes the connections that it opened. Running
   * sections have `drainMs` to end and release their locks. Then their `signal` aborts; their work may still be running, so their
   * locks are not freed but end with their leases. Takes at most `drainMs` plus `timeoutMs` plus about a second, whatever the store
   * does. Safe to call twice: a second call may shorten `drainMs`. Do not await it inside a section: the two would wait for each
   * other. See docs/shutting-down.md.
   *
   * @throws `InvalidArgumentError` if an option is invalid; then nothing was done.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    await this.#closing.by(options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /**
   * The number of live objects in this client: calls and waiters, tenures, renewals, requests to undo, timers. All zero when it is
   * idle. For tests and monitoring.
   */
  get census(): Census {
    const { used, schedule } = this.#kinds
    const sum = (what: keyof KindContext['locker']['census']): number =>
      used.reduce((all, { locker }) => all + locker.census[what], 0)
    return {
      gates: sum('gates'),
      calls: sum('calls'),
      tenures: sum('tenures'),
      watched: sum('watched'),
      orphans: sum('orphans'),
      scopes: used.reduce((all, { openLocks }) => all + openLocks.size, 0),
      timers: schedule.size,
    }
  }

  /** Counters and histograms of this client since its creation: see docs/metrics.md. Costs some microseconds. */
  metrics(): HoldfastMetrics {
    return this.#kinds.metrics.snapshot()
  }

  #leave(owner: Owner): void {
    const left = this.#kinds.used.flatMap(({ openLocks }) => openLocks.forget(owner))
    for (const hold of left) {
      hold.stopRenewing()
      this.#emitSafely('warning', {
        code: 'LEFT_LOCKED',
        name: hold.name,
        owner,
        holder: owner,
        message:
          `A run() ended while ${ownerText(owner)} still held lock ${quoted(hold.name)}, and nothing can unlock it now. Holdfast no longer renews ` +
          'it; it ends with its lease. Call unlock() in a finally block, or use withLock().',
        waitedMs: 0,
        waiterStack: undefined,
        holderStack: undefined,
      })
    }
  }

  /** A listener that throws breaks no lock. */
  #emitSafely<Name extends keyof HoldfastEvents>(
    event: Name,
    ...payload: EventEmitter.EventArgs<HoldfastEvents, Name>
  ): void {
    try {
      this.emit(event, ...payload)
    } catch (error) {
      if (event !== 'error') this.#emitSafely('error', error)
    }
  }
}
