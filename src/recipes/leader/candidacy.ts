import { ClosedError, LockLostError } from '../../base/errors/errors.js'
import { BackOff } from '../../base/time/back-off.js'
import { KeepAlive } from '../../base/time/keep-alive.js'
import { Pauses } from '../../base/waiting/pauses.js'
import type { Locker } from '../../core/locker.js'
import type { Hold } from '../../kinds/hold.js'
import type { Lock } from '../../kinds/lock.js'
import type { Bell } from './bell.js'
import type { LeaderOptions } from './leader-options.js'
import { Term, type TermEnd } from './term.js'

/** The pauses of a candidate after a lost or failed term, and while it cannot reach the store. */
const AGAIN = new BackOff({ firstPauseMs: 100, longestPauseMs: 10_000, factor: 2 })
/** How long a leader that has resigned lets others ask first, where they poll. */
const OTHERS_FIRST_MS = 1_000
/** The pauses of a candidate that resigns from short terms while nobody else stands: it would win again at once. */
const ALONE = new BackOff({ firstPauseMs: 10, longestPauseMs: 1_000, factor: 2 })
const SHORT_TERM_MS = 1_000
/** A term that lasted for so long says that what failed before is over. */
const GOOD_TERM_MS = 60_000

/** A candidate: stands in the line of the lock, leads while it holds the lock, and stands again, until somebody stops it. Never rejects. */
export class Candidacy {
  readonly ended: Promise<void>
  readonly #stop = new AbortController()
  readonly #locker: Locker
  readonly #pauses: Pauses
  readonly #keepAlive = new KeepAlive()
  #term: Term | undefined

  constructor(
    private readonly lock: Lock,
    private readonly bell: Bell | undefined,
    private readonly options: LeaderOptions,
  ) {
    this.#locker = lock.terms.locker
    this.#pauses = new Pauses(this.#locker.schedule)
    const { signal } = options
    const stop = (): void => this.stop()
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
    this.ended = this.#keepAlive
      .during(() => this.#run())
      .finally(() => {
        signal?.removeEventListener('abort', stop)
        this.#keepAlive.end()
      })
  }

  /** The term in which it leads. */
  get term(): Term | undefined {
    return this.#term && this.#term.remainingMs() > 0 ? this.#term : undefined
  }

  /** Whether the running code belongs to a callback of its term, which it has to wait for before it ends. */
  get runsThis(): boolean {
    return this.#term?.runsThis === true
  }

  stop(): void {
    this.#stop.abort()
    this.#pauses.end()
    if (this.#locker.closed) this.#term?.end('closed', new ClosedError(this.lock.name))
    else this.#term?.end('resigned', undefined)
  }

  async #run(): Promise<void> {
    const { locker, owners } = this.lock.terms
    const { signal } = this.#stop
    let alone = 0
    for (let failures = 0; !signal.aborted; ) {
      const { clock } = locker.schedule
      let startedAt = clock.now()
      let end: TermEnd | undefined
      try {
        const hold = await this.lock.acquire({ owner: owners.next(), signal, maxHoldMs: Infinity })
        startedAt = clock.now()
        end = await this.#lead(hold)
      } catch (error) {
        if (signal.aborted || error instanceof ClosedError) return
        locker.events.emit('error', error)
      }
      if (end === 'closed') return
      if (end === 'resigned' || clock.now() - startedAt >= GOOD_TERM_MS) failures = 0
      if (end === 'resigned') {
        // Where the store keeps no line those who wait have to ask first.
        if (!locker.port.line && !signal.aborted) await this.#pauses.until(clock.now() + OTHERS_FIRST_MS)
        const isShort = clock.now() - startedAt < SHORT_TERM_MS
        alone = isShort && !signal.aborted && (await this.#standsAlone()) ? alone + 1 : 0
        if (alone > 0) await this.#pauses.until(clock.now() + ALONE.pauseMs(alone, Math.random()))
        continue
      }
      failures += 1
      await this.#pauses.until(clock.now() + AGAIN.pauseMs(failures, Math.random()))
    }
  }

  /** Whether nobody else has the lock after its release, which grants it to the next in line. */
  async #standsAlone(): Promise<boolean> {
    const locker = this.#locker
    try {
      const { owners } = await locker.query(() => locker.port.inspect(this.lock.name))
      return owners.length === 0
    } catch {
      return true
    }
  }

  /** One term. Nobody else is elected before the work that it has begun is over, unless it loses the lock. */
  async #lead(hold: Hold): Promise<TermEnd> {
    const { events } = this.#locker
    const term = new Term(hold)
    this.#term = term
    let settle: (() => void) | undefined
    term.over = new Promise((resolve) => {
      settle = resolve
    })
    try {
      if (this.#stop.signal.aborted) term.end('resigned', undefined)
      void this.bell?.ring()
      const work = term.run(() => (term.signal.aborted ? undefined : this.options.onElected?.(term)))
      const working = work.catch((error: unknown) => {
        if (term.signal.aborted && error === term.signal.reason) return
        events.emit('error', error)
        term.end('failed', error)
      })
      const { end, error } = await term.ended
      await Promise.all([working, this.#tell(term, end, error)])
      await this.#giveBack(hold, end)
      return end
    } finally {
      this.#term = undefined
      settle?.()
      // Nobody leads now, or somebody else.
      if (!this.#locker.closed) void this.bell?.ring()
    }
  }

  async #tell(term: Term, end: TermEnd, error: unknown): Promise<void> {
    try {
      await term.tell(() => this.options.onRevoked?.(end, error))
    } catch (trouble) {
      this.#locker.events.emit('error', trouble)
    }
  }

  async #giveBack(hold: Hold, end: TermEnd): Promise<void> {
    try {
      await hold.release()
    } catch (error) {
      // The event `lost` reports a loss, and a closed client frees nothing.
      const known = error instanceof LockLostError || error instanceof ClosedError || end === 'closed'
      if (!known) this.#locker.events.emit('error', error)
    }
  }
}
