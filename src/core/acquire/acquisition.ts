import { TooManyWaitersError } from '../../errors/errors.js'
import type { Owner } from '../../identity/owner.js'
import type { TimerHandle } from '../../time/schedule.js'
import { outcomeOf } from '../../trace/outcome.js'
import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'
import { Waiter } from '../queue/waiter.js'
import { around } from '../tenure/other-side.js'
import { storedAs } from '../tenure/stored-as.js'
import { type HoldRecord, Tenure } from '../tenure/tenure.js'
import { Attempt } from './attempt.js'
import type { Call, Refusal } from './call.js'
import { calledFrom } from './called-from.js'
import { warnOfLongWait } from './long-wait.js'
import { isTransient, Outage } from './outage.js'
import { reenter } from './reentry.js'
import { onAbort } from './shared-signal.js'

/**
 * The wait loop: the one way in, for every kind of lock and every store (rule W1). Attempt; if held, watch for the release;
 * attempt again once the watch is in force, because a release may have passed between the two; then sleep on the wake-up
 * semaphore for the smaller of the remaining wait and the holder's time left; attempt; and so on. See docs/acquire-loop.md.
 */
export class Acquisition {
  readonly waiter: Waiter
  readonly #deadline: number
  readonly #attempt: Attempt
  /** How it ends, for whoever closes the client. */
  work: Promise<unknown> | undefined
  readonly #once: boolean
  /** Whether this call has had to wait: then it counts against `maxWaiters`. */
  #waits = false
  /** When to try again to watch, after that failed. */
  #watchAgainAt = Number.NEGATIVE_INFINITY
  #watchOutage: Outage | undefined
  #warning: TimerHandle | undefined
  readonly #calledAt: string | undefined

  constructor(
    private readonly env: Environment,
    private readonly queue: LocalQueue,
    private readonly call: Call,
    private readonly onEnd: () => void,
  ) {
    this.waiter = new Waiter(call, env.schedule)
    this.#deadline = this.waiter.startedAt + call.waitMs
    this.#once = call.waitMs === 0 || call.sends !== undefined
    this.#calledAt = env.settings.diagnostics ? calledFrom() : undefined
    this.#attempt = new Attempt(env, queue, call, this.waiter, this.#calledAt)
  }

  async run(): Promise<HoldRecord | Refusal> {
    const { queue, waiter, env } = this
    const stopListening = this.#listenForAbort()
    waiter.within = around(env, queue.name, waiter.caller) !== undefined
    queue.waiters.join(waiter)
    try {
      for (;;) {
        const inherited = waiter.takeInheritance()
        if (inherited) return this.#attempt.granted(inherited)
        const tenure = this.#currentTenure()
        // Most rounds send nothing, and a hand-over in memory should not cost a promise for that.
        const trying = this.#try(tenure)
        const grant = trying && (await trying)
        if (grant) return grant
        if (this.#once || this.#now() >= this.#deadline) return this.#refusal()
        // Tenures changed while the attempt was under way: look again before lying down.
        if (queue.tenures.metBy(this.call.caller.owner) !== tenure) continue
        this.#joinWaiters(tenure)
        if (this.#shouldWatch(tenure)) await this.#watch()
        else await waiter.sleep(Math.min(this.#deadline, this.#wakeAt(tenure)))
      }
    } catch (error) {
      if (outcomeOf(error, this.call.signal) === 'cancelled') env.metrics.cancelled()
      else env.metrics.failed()
      throw error
    } finally {
      stopListening?.()
      env.schedule.cancel(this.#warning)
      this.#attempt.leave()
      if (this.#waits) this.#leaveWaiters()
      waiter.gone = true
      const unused = waiter.takeInheritance()
      if (unused) void env.hooks.discard(unused)
      queue.waiters.leave(waiter)
      queue.policy.onLeave(waiter)
      const deserted = queue.place.takeDeserted()
      if (deserted) env.orphans.leavePlace(queue.name, deserted)
      this.onEnd()
    }
  }

  #listenForAbort(): (() => void) | undefined {
    const { signal } = this.call
    if (!signal) return undefined
    return onAbort(signal, () => this.waiter.cancel(signal.reason))
  }

  /** Gets in, or learns what stands in the way, by the means that are this waiter's now. */
  #try(tenure: Tenure | undefined): Promise<HoldRecord | undefined> | undefined {
    const { queue, call, waiter, env } = this
    this.#standWithin()
    if (tenure && waiter.promised) {
      this.#attempt.knowsBusy(tenure)
      return undefined
    }
    if (tenure && tenure.owner === call.caller.owner) {
      return tenure.admits(call.caller) ? this.#reenterOrGoOn(tenure) : undefined
    }
    if (this.#once) {
      const ahead = queue.waiters.ahead(waiter)
      if (!ahead) return this.#ask()
      return ahead.attempting && this.#after(ahead.attempting)
    }
    if (!this.#speaks(tenure)) return undefined
    // What this process holds itself needs no asking. News may mean that it holds it no more; where its release is under way
    // they do, and the answer may be lost.
    if (tenure && !(queue.watch.unreadSignal && tenure.state === 'releasing')) {
      if (queue.watch.unreadSignal) this.env.tenures.verify(tenure)
      queue.watch.unreadSignal = false
      this.#attempt.knowsBusy(tenure)
      return undefined
    }
    // An attempt for whose answer there is no time could only be given back.
    if (this.#attempt.made && this.#now() >= this.#deadline) return undefined
    if (this.#letsOthersGoFirst()) return undefined
    // A call that waited behind one that gave up, or in line, need not find the outage out again, one command's time later.
    if (this.#waits) this.#attempt.throwIfOutOfPatience()
    if (this.#now() < queue.policy.knownUntil(waiter)) {
      this.#attempt.knowsFull(queue.policy.knownUntil(waiter))
      return undefined
    }
    // Where the process hears of grants already, its first question can have it join the line.
    if (!queue.watch.inForce && env.port.line?.hears(queue.name)) queue.watch.begin()
    return this.#ask()
  }

  /** Within a section that its owner has on the other side of the lock it needs no place of its own, and waits for no sibling. */
  #standWithin(): void {
    const { queue, waiter, env } = this
    const outer = around(env, queue.name, waiter.caller)
    const { askedAs } = this.#attempt
    if (outer && askedAs !== undefined && askedAs !== outer.storedAs) {
      this.#attempt.leave()
      queue.policy.onLeave(waiter)
    }
    if (waiter.within === (outer !== undefined)) return
    queue.waiters.leave(waiter)
    waiter.within = outer !== undefined
    queue.waiters.join(waiter)
    // A sibling went in first: calls nested in its section need not wait behind this one.
    if (!waiter.within) queue.policy.wakeNext(waiter.caller.owner)
  }

  /** The same owner is at it already: its outcome decides whether this is a nested acquisition. */
  async #after(attempting: Promise<unknown>): Promise<HoldRecord | undefined> {
    const settled = attempting.catch(() => undefined)
    await this.waiter.upTo(Number.POSITIVE_INFINITY, settled)
    return await this.#try(this.#currentTenure())
  }

  #currentTenure(): Tenure | undefined {
    return this.env.tenures.current(this.queue, this.call.caller.owner)
  }

  /** Asks for a first hold on this side. Within a section on the other side it is one hold more of that section's owner. */
  #ask(): Promise<HoldRecord | undefined> {
    const { env, waiter } = this
    const outer = around(env, this.queue.name, waiter.caller)
    if (!outer) return this.#attempt.send(this.#newTenure())
    return reenter(env, this.#attempt, waiter, outer, this.#deadline, () => this.#newTenure(outer))
  }

  #newTenure(outer?: Tenure): Tenure {
    const { name, permits, caller } = this.call
    this.#attempt.leaveNested()
    const owner = this.#attempt.askedAs ?? this.#lentPlace() ?? storedAs(this.env, this.queue, caller)
    const tenure = new Tenure(name, caller.owner, owner, outer?.turns)
    tenure.permits = permits
    return tenure
  }

  /** A single attempt is made for itself: it can happen while the contender asks. */
  #lentPlace(): Owner | undefined {
    return this.#once ? undefined : this.queue.place.lend()
  }

  /** After a release that others waited for. A call that has not the time to let them is not kept from its attempt. */
  #letsOthersGoFirst(): boolean {
    const { backUntil } = this.queue
    return this.#now() < backUntil && backUntil < this.#deadline
  }

  async #reenterOrGoOn(tenure: Tenure): Promise<HoldRecord | undefined> {
    const grant = await reenter(this.env, this.#attempt, this.waiter, tenure, this.#deadline)
    const current = this.#currentTenure()
    // The tenure ended meanwhile (its last release was under way): the one attempt is still to be made.
    return !grant && this.#once && current !== tenure ? await this.#try(current) : grant
  }

  /** Whether this waiter is the contender: the one of the process that talks to the store. */
  #speaks(tenure: Tenure | undefined): boolean {
    return this.queue.policy.mayAsk(this.waiter, tenure)
  }

  #shouldWatch(tenure: Tenure | undefined): boolean {
    const { covered, outage } = this.#attempt
    if (this.call.polls || !this.#speaks(tenure) || covered || outage.on || this.#now() < this.#watchAgainAt)
      return false
    // While others go first no attempt is made that could find the watch in force.
    return !(this.queue.watch.inForce && this.#letsOthersGoFirst())
  }

  /** Has the release watched. Where watch and attempt travel in order, the attempt need not wait for the confirmation. */
  async #watch(): Promise<void> {
    const { env, queue } = this
    const watch = queue.watch.begin()
    if (env.port.watchesInOrder) return
    try {
      await this.waiter.restUpTo(this.#deadline, watch.confirmed)
      this.#watchOutage?.answered()
    } catch {
      // The queue keeps what a watch failed with, see #joinWaiters; a cancelled call ends here.
      this.waiter.throwIfCancelled()
    }
  }

  /** Counts the call among those that wait. Only the contender handles a failed watch. */
  #joinWaiters(tenure: Tenure | undefined): void {
    const failure = this.#speaks(tenure) ? this.queue.watch.takeFailure() : undefined
    if (failure !== undefined) {
      if (!isTransient(failure)) throw failure
      this.#watchOutage ??= new Outage()
      this.#watchOutage.failed(failure, this.#now())
      this.#watchAgainAt = this.#watchOutage.retryAt(this.#now())
    }
    if (this.#waits) return
    const { queue, call, env } = this
    if (queue.waiting >= env.settings.maxWaiters) {
      throw new TooManyWaitersError(call.name, env.settings.maxWaiters)
    }
    this.#waits = true
    queue.waiting += 1
    env.metrics.waitBegan()
    this.#warning = env.schedule.at(this.waiter.startedAt + env.settings.warnAfterMs, () =>
      warnOfLongWait(env, queue, this.waiter, this.#calledAt),
    )
    if (!env.events.hears('waiting')) return
    const { holder, busyUntil } = this.#attempt
    env.events.emit('waiting', {
      name: call.name,
      owner: call.caller.owner,
      holder: tenure?.owner ?? holder,
      remainingMs: Math.max((tenure?.deadline ?? busyUntil) - this.#now(), 0),
    })
  }

  #leaveWaiters(): void {
    this.queue.waiting -= 1
    this.env.metrics.waitEnded()
  }

  /** The latest time to look again by itself; whoever is not the contender is woken when it becomes it. */
  #wakeAt(tenure: Tenure | undefined): number {
    const { outage, covered, askAgainAt } = this.#attempt
    const busyUntil = Math.min(this.#attempt.busyUntil, askAgainAt)
    if (outage.on) return outage.retryAt(this.#now())
    if (!this.#speaks(tenure)) return Number.POSITIVE_INFINITY
    const { polls } = this.call
    const { backUntil } = this.queue
    if (polls)
      return tenure ? busyUntil : Math.max(Math.min(busyUntil, this.#attempt.pollAt(polls)), backUntil)
    const lookAt = covered ? busyUntil : Math.min(busyUntil, this.#watchAgainAt)
    return backUntil > this.#now() ? backUntil : lookAt
  }

  #refusal(): Refusal {
    const { holder, busyUntil, outage } = this.#attempt
    if (outage.cause !== undefined) this.env.metrics.failed()
    else if (!this.call.sends) this.env.metrics.timedOut()
    const now = this.#now()
    return {
      waitedMs: now - this.waiter.startedAt,
      holder,
      remainingMs: busyUntil > now ? busyUntil - now : undefined,
      cause: outage.cause,
    }
  }

  #now(): number {
    return this.env.schedule.clock.now()
  }
}
