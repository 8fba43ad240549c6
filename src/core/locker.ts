import { ClosedError, type StoreError } from '../errors.js'
import type { Emit } from '../events.js'
import type { LockPort } from '../store.js'
import { Acquisition } from './acquisition.js'
import type { Call, Refusal } from './call.js'
import { Gate } from './gate.js'
import { GiveBack } from './give-back.js'
import type { Grant } from './grant.js'
import { KeepAlive } from './keep-alive.js'
import { Possession } from './possession.js'
import { release } from './release.js'
import type { Schedule } from './schedule.js'

export interface LockerSettings {
  readonly watchdogMs: number
  readonly storeTimeoutMs: number
  readonly maxWaiters: number
  readonly warnAfterMs: number
  readonly diagnostics: boolean
}

/**
 * One kind of lock in one client, on whatever store the port leads to: the gates at which its calls meet, its tenures, and what
 * cleans up behind them.
 */
export class Locker {
  readonly possession: Possession
  readonly giveBack: GiveBack
  closed = false
  readonly #gates = new Map<string, Gate>()
  readonly #acquisitions = new Map<Acquisition, Promise<unknown>>()
  readonly #releases = new Set<Promise<void>>()
  readonly #keepAlive = new KeepAlive()

  constructor(
    readonly port: LockPort,
    readonly schedule: Schedule,
    readonly emit: Emit,
    readonly settings: LockerSettings,
    readonly noAnswer: (name: string) => StoreError,
  ) {
    this.possession = new Possession(port, schedule, emit, settings.watchdogMs, (gate) => {
      gate.next()
      this.#dropIfIdle(gate)
    })
    this.giveBack = new GiveBack(port, schedule, (error) => emit('error', error))
  }

  /** What is alive in here; all zero when nothing is held, awaited or being cleaned up. */
  get census(): Readonly<Record<'gates' | 'calls' | 'tenures' | 'watched' | 'strays', number>> {
    return {
      gates: this.#gates.size,
      calls: this.#acquisitions.size + this.#releases.size,
      tenures: this.possession.size,
      watched: this.possession.watchdog.size,
      strays: this.giveBack.size,
    }
  }

  /** One call for the lock: granted, or refused because its time was up. Rejects when it was cancelled or the store failed. */
  async acquire(call: Call): Promise<Grant | Refusal> {
    if (this.closed) throw new ClosedError(call.name)
    call.signal?.throwIfAborted()
    const gate = this.#gate(call.name)
    const acquisition = new Acquisition(this, gate, call)
    gate.callers += 1
    const work = this.#keepAlive.during(() => acquisition.run())
    this.#acquisitions.set(acquisition, work)
    try {
      return await work
    } finally {
      this.#acquisitions.delete(acquisition)
      gate.callers -= 1
      this.#dropIfIdle(gate)
    }
  }

  /** Gives a hold back; once, whatever comes of it. */
  async release(grant: Grant): Promise<void> {
    if (grant.released) return
    grant.released = true
    // Before anything is awaited: a release that was asked for before the close still goes out.
    if (this.closed) throw grant.endedBy ?? new ClosedError(grant.tenure.name)
    const work = this.#keepAlive.during(() => release(this, grant))
    this.#releases.add(work)
    try {
      await work
    } finally {
      this.#releases.delete(work)
    }
  }

  /** Frees the lock whoever holds it. A tenure of this client is lost with it, and knows at once. */
  async forceUnlock(name: string): Promise<boolean> {
    // Which tenure this is about must be known before: the freed lock may be this client's again when the answer comes.
    const tenure = this.#gates.get(name)?.tenure
    const freed = await this.query(() => this.port.forceUnlock(name))
    if (freed && tenure) this.possession.lose(tenure, 'not-in-store', undefined)
    return freed
  }

  /** A command outside any tenure, awaited like every call: it keeps the process alive until it is answered. */
  async query<Result>(ask: () => Promise<Result>): Promise<Result> {
    if (this.closed) throw new ClosedError()
    return await this.#keepAlive.during(ask)
  }

  /** Ends all waits, stops the watchdog, and waits for what is on its way to the store. Frees no lock that is still held. */
  async close(): Promise<void> {
    if (this.closed) return
    this.closed = true
    for (const { waiter, name } of this.#acquisitions.keys()) waiter.cancel(new ClosedError(name))
    await this.#keepAlive.during(async () => {
      await Promise.allSettled([...this.#acquisitions.values(), ...this.#releases])
      this.possession.close(new ClosedError())
      await this.giveBack.close()
    })
  }

  /** Forgets a gate that nobody stands at. */
  #dropIfIdle(gate: Gate): void {
    if (gate.callers > 0) return
    gate.endWatch()
    if (!gate.tenure && this.#gates.get(gate.name) === gate) this.#gates.delete(gate.name)
  }

  #gate(name: string): Gate {
    let gate = this.#gates.get(name)
    if (!gate) {
      gate = new Gate(name)
      this.#gates.set(name, gate)
    }
    return gate
  }
}
