import type { Scheduler } from 'fast-check'
import {
  ClosedError,
  type Hold,
  Holdfast,
  type HoldfastOptions,
  type Lock,
  LockLostError,
  LockTimeoutError,
  type Owner,
  type Store,
  StoreError,
} from '../../src/index.js'
import type { ClientClock } from './base-clock.js'
import type { Ask, Held, History } from './history.js'
import { type SlowPort, short } from './slow-port.js'

const NAMES = ['a', 'b']

/** What may go wrong in a run without being wrong. */
export interface Excuses {
  /** How holds may be lost: not at all, by the end of their lease, or in any way (force, pauses, short leases). */
  readonly lossMayHappen: 'never' | 'lease-expired' | 'anyhow'
  /** The store may fail. */
  readonly storeMayFail: boolean
}

/** One process of the modelled world. */
export class ModelClient {
  readonly holdfast: Holdfast
  readonly owners: readonly Owner[]
  /** What an aborted call must reject with. */
  readonly aborted = new Error('aborted by the plan')
  closing = false
  /** What this client has taken and not yet given back. */
  readonly #taken = new Map<string, { readonly name: string; readonly owner: Owner }>()
  #calls = 0

  constructor(
    readonly number: number,
    readonly clock: ClientClock,
    readonly port: SlowPort,
    readonly history: History,
    private readonly scheduler: Scheduler,
    private readonly excuses: Excuses,
    options: HoldfastOptions,
  ) {
    const store: Store = {
      clock,
      open: (settings) => {
        port.begin(settings)
        return { lock: port, close: async () => port.close() }
      },
    }
    const holdfast = new Holdfast(store, options)
    this.holdfast = holdfast
    this.owners = [holdfast.owner(), holdfast.owner()]
    holdfast.on('acquired', ({ name, owner }) => this.#taken.set(`${owner} ${name}`, { name, owner }))
    holdfast.on('released', ({ name, owner, holdCount }) => {
      if (holdCount === 0) this.#taken.delete(`${owner} ${name}`)
    })
    holdfast.on('lost', ({ name, owner, reason }) => {
      history.log(`c${number} lost: ${name} ${short(owner)} ${reason}`)
      history.givenUp(name, owner)
    })
    holdfast.on('error', (error) => {
      if (this.closing) history.gaveUp.add(number)
      if (!(error instanceof StoreError && this.#storeMayFail))
        history.fail(`c${number} emitted ${String(error)}`)
    })
  }

  get #storeMayFail(): boolean {
    return this.excuses.storeMayFail || this.closing
  }

  lock(index: number): Lock {
    return this.holdfast.lock(NAMES[index] ?? 'a')
  }

  nextCall(): number {
    this.#calls += 1
    return this.#calls
  }

  /** The task's turn to go on, as the scheduler decides. */
  async turn(label: string): Promise<void> {
    await this.scheduler.schedule(Promise.resolve(), `c${this.number} ${label}`)
    if (this.clock.paused) await new Promise<void>((resolve) => this.clock.deliver(resolve))
  }

  async after(steps: number, label: string, act: () => unknown): Promise<void> {
    for (let count = 0; count <= steps; count += 1) await this.turn(`${label} in ${steps - count}`)
    this.history.log(`c${this.number} ${label}`)
    await act()
  }

  async idle(ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.clock.startTimer(resolve, ms))
  }

  granted(ask: Ask, hold: Hold): Held {
    return this.history.granted(ask, hold, () => !this.clock.paused)
  }

  /** Runs a call; the refusals that may happen to it are no error. */
  async excusing<Result>(ask: Ask | undefined, call: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await call()
    } catch (error) {
      if (ask && this.history.asks.has(ask)) this.history.refused(ask, error)
      if (!this.#excused(ask, error))
        this.history.fail(`c${this.number}: ${error instanceof Error ? error.stack : String(error)}`)
      return undefined
    }
  }

  /** `assertHeld` agrees with what the hold says otherwise, and with its signal. */
  assertHolds(): void {
    for (const { client, hold } of this.history.holds) {
      if (client !== this.number) continue
      try {
        hold.assertHeld()
        if (hold.remainingMs() <= 0) this.history.fail(`c${client}: assertHeld passed without any time left`)
      } catch (error) {
        if (!hold.signal.aborted)
          this.history.fail(`c${client}: assertHeld threw ${String(error)} without a signal`)
      }
    }
  }

  /** Whether the owner is one of this client's. */
  owns(owner: Owner): boolean {
    return this.owners.some(
      (mine) => mine.slice(0, mine.lastIndexOf(':')) === owner.slice(0, owner.lastIndexOf(':')),
    )
  }

  async close(): Promise<void> {
    this.closing = true
    this.history.log(`c${this.number} closes`)
    await this.holdfast.close()
    for (const { name, owner } of this.#taken.values()) this.history.givenUp(name, owner)
    this.history.log(`c${this.number} is closed`)
  }

  #excused(ask: Ask | undefined, error: unknown): boolean {
    if (error === this.aborted) return ask !== undefined
    if (error instanceof LockTimeoutError) return ask !== undefined && Number.isFinite(error.waitedMs)
    if (error instanceof ClosedError) return this.closing
    if (error instanceof LockLostError) {
      const { lossMayHappen } = this.excuses
      return lossMayHappen === 'anyhow' || lossMayHappen === error.reason || this.closing
    }
    return error instanceof StoreError && this.#storeMayFail
  }
}
