import { LinkedSet } from '../base/collections/linked-set.js'
import { ClosedError } from '../base/errors/errors.js'
import { KeepAlive } from '../base/time/keep-alive.js'
import type { Acquisition } from './acquire/acquisition.js'
import type { Call, Composition } from './acquire/call.js'
import type { Environment } from './environment.js'
import type { Waiter } from './queue/waiter.js'
import type { HoldRecord } from './tenure/tenure.js'

/** What a call for several locks wants of one locker. */
interface Part {
  readonly name: string | undefined
  /** Whether that needs no more than a running section may have while its client drains. */
  readonly within: boolean
}

/**
 * What is under way for one kind of lock, and how that ends: `drain` lets sections end, `close` then waits for what has gone to the store,
 * and `end` waits for nothing any more. Whatever is under way keeps the process alive.
 */
export class Lifetime {
  /** Called when nothing is held any more; set while the client lets its sections end. */
  #onDrained: (() => void) | undefined
  #closing: Promise<void> | undefined
  /** That of the other side, where a lock has two: reading and writing. */
  otherSide: Lifetime | undefined
  readonly #acquisitions = new LinkedSet<Acquisition>()
  /** The calls for several locks that have a part here. */
  readonly #compositions = new Map<Composition, Part>()
  /** Those that do not wait and were under way when draining began: the store has been asked on their behalf. */
  readonly #answered = new Set<Composition>()
  readonly #releasing = new LinkedSet<HoldRecord>()
  /** What ends the commands that callers await and only the store can settle; undefined when nothing is answered any more. */
  #unanswered: Set<() => void> | undefined = new Set()
  readonly #keepAlive = new KeepAlive()

  constructor(private readonly env: Environment) {}

  /** How many acquire or release. */
  get calls(): number {
    return this.#acquisitions.size + this.#releasing.size
  }

  /**
   * Whether a call may begin. A draining client still sends what a running section makes, and the parts of a call that it answers.
   */
  admits(call: Call): boolean {
    if (this.env.closed) return false
    const isAnswered = call.composition !== undefined && this.#answered.has(call.composition)
    return !this.#onDrained || isAnswered || this.#isInSection(call)
  }

  acquiring(acquisition: Acquisition): void {
    this.#keepAlive.enter()
    this.#acquisitions.add(acquisition)
  }

  acquired(acquisition: Acquisition): void {
    this.#acquisitions.delete(acquisition)
    this.#keepAlive.leave()
  }

  releasing(grant: HoldRecord): void {
    this.#keepAlive.enter()
    this.#releasing.add(grant)
  }

  released(grant: HoldRecord): void {
    if (this.#releasing.delete(grant)) this.#keepAlive.leave()
    this.lookWhetherDrained()
  }

  /** A hold that was given back in memory goes to a call by a command, which goes on when that call has left. */
  passing(grant: HoldRecord, work: Promise<void>): void {
    this.releasing(grant)
    const ended = work.then(() => this.released(grant))
    grant.work = this.upToEnd(ended).catch(() => undefined)
  }

  /** A call for several locks begins; `own` is what it wants here. */
  compose(composition: Composition, own: readonly Pick<Call, 'name' | 'caller'>[]): void {
    const part = { name: own[0]?.name, within: own.every((each) => this.#isInSection(each)) }
    this.#compositions.set(composition, part)
    // Perhaps it would first wait for a lock of another client, which knows nothing of that.
    if (this.#onDrained || this.env.closed) this.#endComposition(composition, part)
  }

  /** It has ended. */
  decompose(composition: Composition): void {
    this.#compositions.delete(composition)
    this.#answered.delete(composition)
    this.lookWhetherDrained()
  }

  #endComposition(composition: Composition, { name, within }: Part): void {
    if (this.env.closed || (composition.waitMs > 0 && !within)) composition.cancel(new ClosedError(name))
  }

  /**
   * Settles as the work does, which the store answers, or rejects with `ClosedError` when the client ends first (rule W6), whose timeouts end
   * with it. (Racing each command with one promise for the end of the client would leak a reaction per command until that end.)
   */
  upToEnd<Result>(work: Promise<Result>, name?: string): Promise<Result> {
    return new Promise((resolve, reject) => {
      const end = (): void => reject(new ClosedError(name))
      work.then(resolve, reject).then(() => this.#unanswered?.delete(end))
      if (this.#unanswered) this.#unanswered.add(end)
      else end()
    })
  }

  /** A command outside any tenure, awaited like every call: it keeps the process alive until it is answered, or the client has ended. */
  async query<Result>(ask: () => Promise<Result>): Promise<Result> {
    if (this.env.closed) throw new ClosedError()
    try {
      return await this.#keepAlive.during(() => this.upToEnd(ask()))
    } catch (error) {
      // What fails when its connection is closed is no fault of the store.
      throw this.env.closed ? new ClosedError() : error
    }
  }

  /**
   * Ends all waits, and begins nothing any more but what a section that runs needs: one more hold of the lock it has. A call that does
   * not wait is answered: the store may have granted it already, and has refused others for its sake. Resolves when nothing is asked
   * for, held or given back any more.
   */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrained = resolve
      for (const { waiter } of [...this.#acquisitions]) {
        if (waiter.call.waitMs > 0 && !this.#isInSection(waiter.call)) refuse(waiter)
      }
      for (const [composition, part] of this.#compositions) {
        if (composition.waitMs === 0) this.#answered.add(composition)
        this.#endComposition(composition, part)
      }
      this.env.lingering.end()
      this.lookWhetherDrained()
    })
  }

  /** A lock with two sides drains on both at once: a section that holds one may still take the other. */
  lookWhetherDrained(): void {
    if (!this.#onDrained) return
    const sides = this.otherSide ? [this, this.otherSide] : [this]
    if (sides.every((side) => side.#empty)) for (const side of sides) side.#onDrained?.()
  }

  get #empty(): boolean {
    if (this.env.tenures.size > 0 || this.#releasing.size > 0 || this.#answered.size > 0) return false
    for (const { waiter } of this.#acquisitions) if (waiter.call.waitMs === 0) return false
    return true
  }

  /** Whether the call's owner has the lock already, on this side or on the other. */
  #isInSection({ name, caller }: Pick<Call, 'name' | 'caller'>): boolean {
    const tenure = this.env.queues.get(name)?.tenures.metBy(caller.owner)
    const has = tenure?.state === 'held' && tenure.owner === caller.owner
    return has || this.env.kin?.around(name, caller) !== undefined
  }

  /**
   * Ends all waits, stops the watchdog, and waits for what is on its way to the store. Frees no lock that is still held; its
   * signal aborts.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { env } = this
    env.lingering.end()
    env.closed = true
    env.pauses.end()
    const cancelled = [...this.#acquisitions].filter(({ waiter }) => !isBeingAnswered(waiter))
    for (const { waiter } of cancelled) refuse(waiter)
    for (const [composition, part] of this.#compositions) this.#endComposition(composition, part)
    const compositions = [...this.#compositions.keys()].map(({ work }) => work)
    await this.#keepAlive.during(async () => {
      await Promise.allSettled([...cancelled.map(({ work }) => work), ...compositions])
      env.tenures.close('held')
      await Promise.allSettled([...this.#acquisitions].map(({ work }) => work))
      env.tenures.close('held')
      // Whatever a call that just ended gives back is among them.
      await Promise.allSettled([...this.#releasing].map(({ work }) => work))
      env.tenures.watchdog.stop()
      env.tenures.close()
      await this.upToEnd(env.orphans.close()).catch(() => undefined)
      for (const queue of [...env.queues]) env.dropIfIdle(queue)
    })
    this.#keepAlive.end()
  }

  /** Stops waiting for the store: commands that it has not answered reject with `ClosedError`. */
  async end(): Promise<void> {
    for (const end of this.#unanswered ?? []) end()
    this.#unanswered = undefined
    for (const { waiter } of [...this.#acquisitions]) refuse(waiter)
    for (const grant of [...this.#releasing]) {
      this.env.orphans.leftTaken(grant.tenure.name)
      this.released(grant)
    }
    this.env.orphans.end()
    await this.#closing
  }
}

/** A single attempt that has gone to the store: it may have been granted, and others refused for its sake. */
function isBeingAnswered({ call, attempting }: Waiter): boolean {
  return call.waitMs === 0 && !call.composition && attempting
}

function refuse(waiter: Waiter): void {
  waiter.cancel(new ClosedError(waiter.call.name))
}
