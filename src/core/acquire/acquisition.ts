import type { Linked } from '../../base/collections/linked-set.js'
import { NotReentrantError } from '../../base/errors/not-reentrant-error.js'
import { onAbort } from '../../base/waiting/signals.js'
import { outcomeOf } from '../../observe/trace/acquire.js'
import { noAnswer } from '../../port/failure.js'
import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'
import { calledFrom, TIME_IS_UP, Waiter } from '../queue/waiter.js'
import { enterInMemory, enterInStore } from '../tenure/hand-over.js'
import { type HoldRecord, Tenure } from '../tenure/tenure.js'
import { Attempt } from './attempt.js'
import type { Call, Refusal } from './call.js'
import { decide, type Situation, type Step } from './decide.js'
import { Learned } from './learned.js'
import { Waiting } from './waiting.js'

/**
 * The wait loop: the one way in, for every kind of lock and every store (rule W1). Attempt; if held, watch for the release;
 * attempt again once the watch is in force, because a release may have passed between the two; then sleep on the wake-up
 * semaphore for the smaller of the remaining wait and the holder's time left; attempt; and so on. What comes next is decided in
 * decide.ts, from what is read here. See docs/acquire-loop.md. Its fields are the parts of one call, and what `#observe` has found.
 */
export class Acquisition implements Linked<Acquisition> {
  before: Acquisition | undefined
  behind: Acquisition | undefined
  readonly waiter: Waiter
  /** Settles when the call ends; closing the client waits for it. */
  work: Promise<unknown> | undefined
  /** The tenure of this process that the call meets first. */
  #tenure: Tenure | undefined
  /** Whether the call has looked since it last had reason to, and which tenure it met then. */
  #looked = false
  #lookedAt: Tenure | undefined
  readonly #learned: Learned
  readonly #attempt: Attempt
  readonly #waiting: Waiting

  constructor(
    private readonly env: Environment,
    private readonly queue: LocalQueue,
    private readonly call: Call,
    private readonly onEnd: () => void,
  ) {
    const waiter = new Waiter(call, env.schedule, env.settings.diagnostics ? calledFrom() : undefined)
    this.waiter = waiter
    this.#waiting = new Waiting(env, queue, waiter)
    this.#learned = new Learned(env, queue, call.failingSince)
    this.#attempt = new Attempt(env, queue, waiter, this.#waiting, this.#learned)
  }

  async run(): Promise<HoldRecord | Refusal> {
    const stopListening = this.#join()
    try {
      for (;;) {
        const step = decide(this.#observe())
        if (step.do === 'enter') return this.#enter(step.hold)
        if (step.do === 'refuse') return this.#refusal()
        // Most rounds send nothing, and a hand-over in memory should not cost a promise for that.
        const acting = this.#act(step)
        this.waiter.acting = acting
        const hold = acting && (await acting)
        if (hold) return hold
      }
    } catch (error) {
      this.env.metrics.count(outcomeOf(error, this.call.signal))
      throw error
    } finally {
      stopListening?.()
      this.#leave()
    }
  }

  #act(step: Exclude<Step, { do: 'enter' | 'refuse' }>): Promise<HoldRecord | undefined> | undefined {
    switch (step.do) {
      case 'enterKept':
        this.#looked = false
        return this.#enterKept()
      case 'reenter':
        return this.#reenter()
      case 'ask':
        return this.#ask()
      case 'follow':
        return this.#follow()
      case 'verify':
        return this.#verify()
      case 'learn':
        return this.#learn(step.from)
      case 'join':
        return this.#beginToWait()
      case 'watch':
        return this.#watch()
      case 'sleep':
        return this.#sleep(step.until)
      case 'refuseNested':
        throw new NotReentrantError(this.call.name, this.call.caller.owner)
      case 'fail':
        throw this.queue.outage?.cause
    }
  }

  #join(): (() => void) | undefined {
    const { queue, waiter, call } = this
    waiter.within = this.#outer !== undefined
    queue.waiters.join(waiter)
    return call.signal && onAbort(call.signal, (reason) => waiter.cancel(reason))
  }

  /** Whatever the exit, nothing is left behind (rule W4). */
  #leave(): void {
    const { env, queue, waiter } = this
    this.#attempt.traces.leave()
    this.#waiting.end()
    waiter.gone = true
    if (waiter.handedOff) void env.discard(waiter.handedOff)
    queue.waiters.leave(waiter)
    queue.policy.onLeave?.(waiter)
    queue.policy.wakeNext(waiter.caller.owner)
    queue.leaveUnusedPlace()
    this.onEnd()
  }

  // What it knows. Each condition is derived here and nowhere else.

  #observe(): Situation {
    const { env, queue, call, waiter } = this
    const { deadline, once } = waiter
    const learned = this.#learned
    const now = env.schedule.clock.now()
    const tenure = env.tenures.current(queue, call.caller.owner)
    this.#tenure = tenure
    this.#standWithin()
    const tenureHere = this.#tenureHere(tenure)
    const retryAt = learned.retryAt(now)
    const polls = queue.pollsOf(call)
    const doubtsFrom = tenure && tenureHere === 'held' ? queue.watch.doubtsFrom(tenure.since) : Infinity
    return {
      now,
      deadline,
      once,
      handedOff: waiter.handedOff,
      nested: this.#isNested(tenure),
      keptHere: env.lingering.lastOf(queue.name, now) !== undefined,
      tryAgainAt: call.insists ? retryAt : learned.patience?.askAgainAt,
      handOffPending: waiter.handOffPending,
      // A tenure that began or ended meanwhile is reason to look again, if there is the time.
      hasLooked: this.#looked && (once || now >= deadline || tenure === this.#lookedAt),
      tenureHere,
      sibling: this.#sibling,
      mayAsk: queue.policy.mayAsk(waiter, tenure),
      hasAsked: learned.asked > 0,
      unread: queue.watch.unread,
      doubtsFrom,
      backUntil: queue.backUntil,
      outOfPatience: this.#attempt.outOfPatience(now),
      knownUntil: queue.policy.knownUntil(waiter),
      waits: this.#waiting.begun,
      retryAt,
      pollAt: polls && now + polls.pauseMs(learned.asked, Math.random()),
      watching: queue.watch.inForce,
      learnedWhileWatching: learned.watching,
      watchAgainAt: queue.watch.againAt,
      lookAt: Math.min(learned.busyUntil, learned.askAgainAt, doubtsFrom),
    }
  }

  /** Whether the call is made within a section of its own owner, and one of the two is not reentrant. Rivals never enter each other. */
  #isNested(own: Tenure | undefined): boolean {
    const { name, caller, reentrant = true } = this.call
    const section = own?.isSectionOf(caller) ? own : this.env.kin?.inRival(name, caller)
    return section !== undefined && !(reentrant && section.holds.at(-1)?.reentrant)
  }

  /** The section on the other side of the lock within which the call is made. */
  get #outer(): Tenure | undefined {
    return this.env.kin?.around(this.queue.name, this.waiter.caller)
  }

  #tenureHere(tenure: Tenure | undefined): Situation['tenureHere'] {
    const { caller } = this.call
    if (!tenure) return 'none'
    if (tenure.owner === caller.owner) return tenure.admits(caller) ? 'enterable' : 'siblings'
    return tenure.state === 'releasing' ? 'releasing' : 'held'
  }

  get #sibling(): Situation['sibling'] {
    const ahead = this.queue.waiters.ahead(this.waiter)
    if (!ahead) return 'none'
    return ahead.attempting ? 'asking' : 'waiting'
  }

  // What it does.

  #enter(hold: HoldRecord): HoldRecord {
    this.waiter.handedOff = undefined
    return this.#attempt.granted(hold)
  }

  async #enterKept(): Promise<HoldRecord | undefined> {
    const { env, queue, call, waiter } = this
    const grant = enterInMemory(env, queue, call, env.schedule.clock.now())
    return grant ? this.#attempt.granted(grant) : await enterInStore(env, queue, waiter)
  }

  /** Asks for a first hold on this side. Within a section on the other side it is one hold more of that section's owner. */
  #ask(): Promise<HoldRecord | undefined> {
    const { env, queue, waiter } = this
    // Where the process hears of grants already, its first question can have it join the line.
    if (!waiter.once && !queue.watch.inForce && env.port.line?.hears(queue.name)) queue.watch.begin()
    this.#hasLookedAt(this.#tenure)
    const outer = this.#outer
    return outer ? this.#inTurn(outer, () => this.#newTenure(outer)) : this.#attempt.send(this.#newTenure())
  }

  async #reenter(): Promise<HoldRecord | undefined> {
    const tenure = this.#tenure
    if (!tenure) return undefined
    this.#hasLookedAt(tenure)
    const hold = await this.#inTurn(tenure, () => tenure)
    // The tenure ended meanwhile (its last release was under way): the one attempt is still to be made.
    if (!hold && this.waiter.once && tenure.state === 'over') this.#looked = false
    return hold
  }

  /**
   * Asks for one hold more within a tenure, when its commands before that are through. Undefined when it was not granted.
   * @param added the tenure that gets the hold: the outer one, or a new one on the other side of the lock
   */
  async #inTurn(outer: Tenure, added: () => Tenure): Promise<HoldRecord | undefined> {
    if (!(await this.#takeTurn(outer))) return undefined
    try {
      // Who went before may have changed what is on top, lost the lock, or handed it on.
      if (outer.state !== 'held' || !outer.admits(this.waiter.caller)) return undefined
      return await this.#attempt.send(added())
    } finally {
      // If its answer was lost, Orphans lowers the count that it may have raised. A release of the hold below does so too: it names the
      // count that it leaves.
      outer.turns.end()
    }
  }

  /** False when the turn did not come in time; one that comes later is passed on. */
  async #takeTurn({ turns, name }: Tenure): Promise<boolean> {
    const { waiter, env } = this
    const turn = turns.take()
    const once = waiter.call.waitMs === 0
    const until = once ? waiter.startedAt + env.settings.commandTimeoutMs : waiter.deadline
    let taken = false
    try {
      const came = (await waiter.upTo(until, turn)) !== TIME_IS_UP
      const now = env.schedule.clock.now()
      // A turn is held up by nothing but a store that does not answer. Those who had it before may have found out.
      if (!came && once) this.#learned.failed(noAnswer(name, env.kind), waiter.startedAt, now)
      if (came && this.#attempt.outOfPatience(now)) throw this.queue.outage?.cause
      taken = came
      return taken
    } finally {
      if (!taken) void turn.then(() => turns.end())
    }
  }

  /** The same owner is at it already: its outcome decides whether this is a nested acquisition. */
  async #follow(): Promise<undefined> {
    const settled = Promise.resolve(this.queue.waiters.ahead(this.waiter)?.acting).catch(() => undefined)
    await this.waiter.upTo(Infinity, settled)
  }

  #verify(): undefined {
    this.queue.watch.read()
    if (this.#tenure) this.env.tenures.verify(this.#tenure)
  }

  #learn(from: 'tenure' | 'answer'): undefined {
    this.#hasLookedAt(this.#tenure)
    if (from === 'answer') this.#learned.ofOthers(this.queue.policy.knownUntil(this.waiter))
    else if (this.#tenure) this.#learned.ofTenure(this.#tenure)
  }

  #beginToWait(): undefined {
    this.#waiting.begin(this.#learned.outage?.cause)
  }

  /** Has the release watched. Where watch and attempt travel in order, the attempt need not wait for the confirmation. */
  async #watch(): Promise<undefined> {
    const { env, queue, waiter } = this
    queue.watch.throwIfRefused()
    const watch = queue.watch.begin()
    this.#looked = false
    if (env.port.watchesInOrder) return
    try {
      await waiter.restUpTo(waiter.deadline, watch.confirmed)
    } catch {
      // The queue's watch has noted a failure; a cancelled call ends here.
      waiter.throwIfCancelled()
    }
  }

  #sleep(until: number): Promise<undefined> {
    this.#looked = false
    return this.waiter.sleep(until)
  }

  #refusal(): Refusal {
    const { outage, busyUntil } = this.#learned
    const { cause, since: failingSince } = outage ?? {}
    const { env, waiter, queue } = this
    const now = env.schedule.clock.now()
    const { holder, heldSince, until = busyUntil } = queue.seen ?? {}
    if (cause !== undefined) env.metrics.count('failed')
    else if (!this.call.once) env.metrics.count('timedOut')
    const remainingMs = until > now ? until - now : undefined
    return { waitedMs: now - waiter.startedAt, holder, heldSince, remainingMs, cause, failingSince }
  }

  #hasLookedAt(tenure: Tenure | undefined): void {
    this.#looked = true
    this.#lookedAt = tenure
  }

  /** A call inside its owner's section on the other side of the lock takes no place, and waits for no sibling. */
  #standWithin(): void {
    const { queue, waiter } = this
    const outer = this.#outer
    const { askedAs } = this.#attempt.traces
    if (outer && askedAs !== undefined && askedAs !== outer.storedAs) {
      this.#attempt.traces.leave()
      queue.policy.onLeave?.(waiter)
      queue.policy.wakeNext(waiter.caller.owner)
    }
    if (waiter.within === (outer !== undefined)) return
    queue.waiters.leave(waiter)
    waiter.within = outer !== undefined
    queue.waiters.join(waiter)
    // A sibling went in first: calls nested in its section need not wait behind this one.
    if (!waiter.within) queue.policy.wakeNext(waiter.caller.owner)
  }

  #newTenure(outer?: Tenure): Tenure {
    const { name, permits, caller } = this.call
    this.#attempt.traces.leaveNested()
    // A single attempt is made for itself: it can happen while the contender asks.
    const lent = this.#attempt.traces.askedAs ?? (this.waiter.once ? undefined : this.queue.freePlace)
    const owner = lent ?? this.env.storedAs(this.queue, caller)
    const tenure = new Tenure(name, caller.owner, owner, outer?.turns)
    tenure.permits = permits
    return tenure
  }
}
