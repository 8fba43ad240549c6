import { StoreError } from '../../src/base/errors/errors.js'
import type { Clock } from '../../src/base/time/clock.js'
import type { LockPort } from '../../src/port/lock-port.js'
import type { ServerIdentity, Store, StoreSession, StoreSettings } from '../../src/port/store.js'
import type { MemoryStore } from '../../src/stores/memory/index.js'

/** What becomes of the commands that are sent to a server. */
export type Conduct =
  | 'well'
  /** Nothing arrives, and that is known. */
  | 'gone'
  /** Carried out, but the answer is lost. */
  | 'mute'
  /** Carried out and answered when the server is well again. */
  | 'frozen'

/** A server in memory that can be taken away, slowed down and restarted by a test. */
export class WaywardStore implements Store {
  readonly clock: Clock
  conduct: Conduct = 'well'
  /** For these commands only; all where undefined. */
  only: string | undefined
  /** Whether what the server announces gets lost. */
  silent = false
  /** How long a command takes to arrive, and its answer to come back. */
  delayMs = 0
  /** Every command that was sent, by its name. */
  readonly sent: string[] = []
  startedAt = Number.NEGATIVE_INFINITY
  breaks = 0
  readonly #thawing: Array<() => void> = []

  constructor(
    private readonly store: MemoryStore,
    public runId: string,
  ) {
    this.clock = store.clock
  }

  open(settings: StoreSettings): StoreSession & { readonly breaks: number } {
    const session = this.store.open(settings)
    const store = this
    return {
      lock: this.#wayward(session.announcedLock ?? session.lock),
      identity: (): Promise<ServerIdentity> =>
        this.#carry('identity', async () => ({
          runId: this.runId,
          uptimeMs: Math.floor((this.clock.now() - this.startedAt) / 1_000) * 1_000,
        })),
      get breaks() {
        return store.breaks
      },
      close: () => session.close(),
    }
  }

  /** The server goes on, with what has arrived meanwhile first. */
  recover(): void {
    this.conduct = 'well'
    for (const goOn of this.#thawing.splice(0)) goOn()
  }

  /** Another process in its place; its data are those of the store. */
  restart(runId: string): void {
    this.runId = runId
    this.startedAt = this.clock.now()
    this.breaks += 1
  }

  count(command: string): number {
    return this.sent.filter((each) => each === command).length
  }

  #wayward(port: LockPort): LockPort {
    const carry = <Reply>(command: string, run: () => Promise<Reply>): Promise<Reply> =>
      this.#carry(command, run)
    return {
      watchesInOrder: port.watchesInOrder,
      acquire: (request) => carry('acquire', () => port.acquire(request)),
      abandon: (request) => carry('abandon', () => port.abandon(request)),
      handOver: (request) => carry('handOver', () => port.handOver(request)),
      release: (request) => carry('release', () => port.release(request)),
      renew: (requests) =>
        requests.map((request) => carry('renew', async () => (await port.renew([request])[0]) ?? false)),
      watch: (name, onNews) => {
        const watch = port.watch(name, (news) => this.silent || onNews(news))
        return { confirmed: carry('watch', () => watch.confirmed), close: () => watch.close() }
      },
      inspect: (name) => carry('inspect', () => port.inspect(name)),
      countWatchers: (name) => carry('countWatchers', () => port.countWatchers(name)),
      setTicket: (name, client, ticket) =>
        carry('setTicket', async () => await port.setTicket?.(name, client, ticket)),
      forceUnlock: (name) => carry('forceUnlock', () => port.forceUnlock(name)),
      list: (pattern) => port.list(pattern),
    }
  }

  async #carry<Reply>(command: string, run: () => Promise<Reply>): Promise<Reply> {
    this.sent.push(command)
    const conduct = this.only === undefined || this.only === command ? this.conduct : 'well'
    if (conduct === 'gone') throw new StoreError('unreachable', command, { transient: true })
    if (this.delayMs > 0) await this.#pass(this.delayMs)
    // Unless it has recovered on the way.
    if (conduct === 'frozen' && this.conduct === 'frozen')
      await new Promise<void>((resolve) => this.#thawing.push(resolve))
    const reply = await run()
    if (conduct === 'mute') throw new StoreError('timeout', command, { transient: true })
    if (this.delayMs > 0) await this.#pass(this.delayMs)
    return reply
  }

  #pass(ms: number): Promise<void> {
    return new Promise((resolve) => void this.clock.startTimer(resolve, ms))
  }
}
