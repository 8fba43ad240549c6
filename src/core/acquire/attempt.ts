import { ShortLeaseError } from '../../base/errors/short-lease-error.js'
import type { Owner } from '../../base/identity/owner.js'
import { isTransient, noAnswer } from '../../port/failure.js'
import { renewUntil } from '../../port/lease.js'
import type { AcquireReply, AcquireRequest, BusyReply, Caller, Polls } from '../../port/lock-port.js'
import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'
import { TIME_IS_UP, type Waiter } from '../queue/waiter.js'
import { CARRIED_OUT } from '../tenure/orphans.js'
import { HoldRecord, type Tenure } from '../tenure/tenure.js'
import { checkTimes } from './answer-times.js'
import type { Call } from './call.js'
import { granted } from './granted.js'
import { Outage, OWN_FAILURE_MS } from './outage.js'
import { Patience } from './patience.js'
import { restMs } from './rest.js'
import { settledBy, stillPlaced } from './settled.js'
import { LEAST_ANSWER_MS } from './wait-left.js'
import type { Waiting } from './waiting.js'

/** What one call asks the store, and what it has learned from the answers. Leaves no hold behind that nobody has (rule W4). */
export class Attempt {
  readonly outage: Outage
  /** Whether the last attempt was made with the watch in force, so that no release can have slipped by. */
  watching = false
  busyUntil = -Infinity
  /** When to ask again, although it may be busy still. */
  askAgainAt = Infinity
  readonly patience = new Patience()
  #count = 0
  /** Who held it, and how much the store had announced, when it last refused this call with the watch in force. */
  #refused: { readonly holder: Owner | undefined; readonly version: number } | undefined
  #sending = false
  /** Since when its grants have come too late for their lease, one after the other. */
  #tooLateSince: number | undefined
  /** A request whose outcome is unknown: to be repeated, or given back. */
  #unsettled: { readonly request: AcquireRequest; readonly tenure: Tenure } | undefined
  /** The request that has given this call a place in the line that the store keeps. */
  #inLine: AcquireRequest | undefined

  constructor(
    private readonly env: Environment,
    private readonly queue: LocalQueue,
    private readonly call: Call,
    private readonly waiter: Waiter,
    private readonly waiting: Waiting,
    private readonly calledAt: string | undefined,
  ) {
    this.outage = new Outage(call.failingSince)
  }

  /** The process itself holds the lock: as good as an answer. */
  knowsBusy(tenure: Tenure): void {
    this.outage.forget()
    // One that is being released ends with the answer to that, which wakes; its deadline may have passed already.
    this.askAgainAt = Infinity
    this.busyUntil = tenure.state === 'held' ? tenure.deadline : Infinity
    this.watching = this.queue.watch.inForce
  }

  /** What the next answer would be is known from one to another call of this process. */
  knowsFull(until: number): void {
    this.askAgainAt = until
    // What was seen to have no end has none by being looked at.
    if (this.busyUntil !== Infinity) this.busyUntil = until
    this.watching = this.queue.watch.inForce
  }

  /** When to ask again where nothing is announced. Called once for each pause. */
  pollAt(polls: Polls, now: number): number {
    return now + polls.pauseMs(this.#count, Math.random())
  }

  /** Whether the store was asked at all. */
  get hasAsked(): boolean {
    return this.#count > 0
  }

  /** As whom the store may know the call already: the next request must be the same one, repeated. */
  get askedAs(): Owner | undefined {
    return this.#unsettled?.request.owner ?? this.#inLine?.owner
  }

  /** What the last try may have taken without anybody knowing is given back: the next one, if any, is another request. */
  leave(): void {
    this.#leaveUnsettled()
    if (this.#inLine) this.#undo(this.#inLine, CARRIED_OUT)
    this.#inLine = undefined
  }

  /** The tenure has ended to which a nested request was to add a hold: it is not repeated as a first one. */
  leaveNested(): void {
    if (this.#unsettled && this.#unsettled.request.heldBefore > 0) this.#leaveUnsettled()
  }

  #leaveUnsettled(): void {
    const unsettled = this.#unsettled
    if (!unsettled) return
    this.#unsettled = undefined
    this.#inLine = undefined
    this.#undo(unsettled.request, Promise.reject(this.outage.cause), unsettled.tenure)
  }

  /** Sends one acquire and deals with its answer. Undefined when it was not granted in time, or failed for the moment. */
  send(tenure: Tenure): Promise<HoldRecord | undefined> {
    this.#sending = true
    const work = this.#send(tenure)
    if (this.#sending) this.waiter.attempting = work
    return work
  }

  async #send(tenure: Tenure): Promise<HoldRecord | undefined> {
    const { env, queue, call, waiter } = this
    const { watchdog } = env.tenures
    const left = env.port.inRounds ? new AbortController() : undefined
    let soFar: BusyReply | undefined
    /** Since when the store has been silent. */
    let heardAt = -Infinity
    try {
      const answerBy = this.#answerBy()
      const watching = queue.watch.inForce
      const watched = call.leaseMs === undefined
      const leaseMs = call.leaseMs ?? watchdog.leaseMs
      const caller = left && {
        since: waiter.startedAt,
        waitsUntil: answerBy,
        left: left.signal,
        hears: (busy: BusyReply) => {
          soFar = busy
          heardAt = env.schedule.clock.now()
        },
      }
      const offer = tenure.holds.length === 0 ? env.lingering.offer(queue, call) : undefined
      const request = this.#requestFor(tenure, leaseMs, watching, caller, offer !== undefined)
      this.patience.askAgainAt = undefined
      waiter.askedAs = request.owner
      queue.watch.read()
      queue.policy.aboutToAsk?.()
      waiter.wakeUp.drain()
      this.#count += 1
      if (watched) watchdog.watch(tenure)
      const { version } = queue.watch
      const beforeSend = env.schedule.clock.now()
      heardAt = beforeSend
      const sent = call.sends?.(request) ?? env.port.acquire(request)
      // What an earlier try may have done is settled by an answer, not by another failure.
      const earlier = this.#repeats(request) ? this.outage.cause : undefined
      this.#unsettled = undefined
      this.watching = false
      let reply: AcquireReply | typeof TIME_IS_UP
      const silence = this.waiting.expectAnswer()
      tenure.growing = true
      try {
        reply = await waiter.upTo(answerBy, sent)
        if (reply !== TIME_IS_UP) checkTimes(reply, call.name)
      } catch (error) {
        return this.#failed(request, sent, earlier, heardAt, error, tenure)
      } finally {
        tenure.growing = false
        env.schedule.cancel(silence)
      }
      if (reply === TIME_IS_UP && soFar) {
        this.#answered(soFar)
        this.#wasRefused(soFar, request, tenure)
        this.#undo(request, settledBy(sent, earlier), tenure)
        return undefined
      }
      if (reply === TIME_IS_UP) return this.#tooLate(request, sent, earlier, beforeSend, tenure)
      queue.watch.readUpTo(version)
      this.#onReply(request, reply, watching)
      if (reply.outcome !== 'granted') return this.#wasRefused(reply, request, tenure)
      const until = watched ? renewUntil(beforeSend, call.maxHoldMs) : undefined
      const grant = new HoldRecord(tenure, call.holder, until, call.reentrant)
      tenure.fence ??= reply.fence
      const { since, leaseMs: grantedMs } = reply.granted ?? { since: beforeSend, leaseMs }
      if (!env.tenures.granted(queue, grant, since, grantedMs, reply.granted !== undefined)) {
        this.#undo(request, sent, tenure)
        if (tenure.state === 'over') return undefined
        return this.#cameTooLate(new ShortLeaseError(call.name, leaseMs), beforeSend)
      }
      if (offer) env.lingering.begun(tenure, reply, offer, beforeSend, leaseMs)
      return this.granted(grant)
    } finally {
      left?.abort()
      this.#sending = false
      waiter.attempting = undefined
      queue.waiters.told()
      if (tenure.renewUntil === undefined) watchdog.unwatch(tenure)
    }
  }

  #requestFor(
    tenure: Tenure,
    leaseMs: number,
    watching: boolean,
    caller: Caller | undefined,
    lingers: boolean,
  ): AcquireRequest {
    const { env, call, queue } = this
    const hears = watching || queue.pollsOf(call) !== undefined
    return {
      name: tenure.name,
      owner: tenure.storedAs,
      heldBefore: tenure.holds.length,
      leaseMs: leaseMs + env.settings.quarantineMs,
      // One that may have been given a place before has it still.
      waits: call.waitMs > 0 && !call.once && (hears || this.#unsettled?.request.waits === true),
      lingers,
      permits: call.permits,
      caller,
    }
  }

  /** What an answer says to this call and to the others. */
  #onReply(request: AcquireRequest, reply: AcquireReply, watching: boolean): void {
    const { env, queue, waiter } = this
    this.#answered(reply)
    this.watching = watching
    // An answer takes the place of what was known before: a grant that comes too late must not leave an old reason to sleep.
    this.busyUntil = -Infinity
    this.askAgainAt = Infinity
    queue.policy.onReply(waiter, reply, watching)
    const placed = reply.outcome === 'busy' && request.waits && env.port.line !== undefined
    if (placed && !watching && env.kind.placePer !== 'call') queue.place.desert(request.owner)
    const deserted = queue.place.takeDeserted()
    if (deserted !== undefined) env.orphans.leavePlace(queue.name, deserted)
    this.#doubtNewsAfter(reply)
    this.#refused =
      reply.outcome === 'busy' && watching
        ? { holder: reply.holder, version: queue.watch.version }
        : undefined
    this.#inLine = placed && env.kind.placePer === 'call' ? request : undefined
  }

  /** The store answers, for all calls of the lock. Whether this call can still use a grant is decided later. */
  #answered({ outcome }: AcquireReply): void {
    if (outcome !== 'granted') {
      this.outage.answered()
      this.#tooLateSince = undefined
    }
    this.queue.outage.answered()
    this.env.orphans.storeHasAnswered = true
  }

  /** A lock that was given away without a word while this call listened. (Where a lease has ended there was none to be said.) */
  #doubtNewsAfter(reply: AcquireReply): void {
    const { queue } = this
    if (this.#refused?.version !== queue.watch.version) return
    const same = reply.outcome === 'busy' && reply.holder === this.#refused.holder
    if (!same) queue.watch.doubt()
  }

  #wasRefused(
    reply: Exclude<AcquireReply, { outcome: 'granted' }>,
    request: AcquireRequest,
    tenure: Tenure,
  ): undefined {
    const { env, queue } = this
    if (reply.outcome === 'lost') {
      env.tenures.lose(tenure, 'not-in-store', undefined)
      // The tenure may have been lost before, so `lose` may have done nothing.
      if (env.port.inParts) env.orphans.leave(tenure, request.leaseMs)
    } else {
      const holder = queue.ownerBehind(reply.holder)
      // It is the time of the owner that the store names.
      const heldSince = holder === reply.holder ? reply.heldSince : undefined
      const now = env.schedule.clock.now()
      queue.saw({ holder, heldSince, until: now + reply.remainingMs })
      this.busyUntil = now + reply.remainingMs
      this.askAgainAt = now + (reply.againMs ?? restMs(reply.remainingMs))
      this.waiting.tell()
      if (!queue.held) this.patience.refused(reply, now)
    }
  }

  /** Whether it is the one whose outcome is unknown, once more. Another one takes no account of that, which is given back. */
  #repeats({ owner, heldBefore }: AcquireRequest): boolean {
    if (!this.#unsettled) return false
    const { request } = this.#unsettled
    if (request.owner === owner && request.heldBefore === heldBefore) return true
    this.#leaveUnsettled()
    return false
  }

  /**
   * What is to be undone of a nested request, at the time of the undoing. While its tenure lasts, which waits for nobody, the
   * owner keeps the holds it has been granted since, and one that may be on its way. After the tenure was lost there is no outer
   * hold to go back to: then all that owner has is given back, unless the owner is at this lock again under the same name, whose
   * own release will do that.
   */
  #nestedNow(request: AcquireRequest, tenure: Tenure): AcquireRequest {
    const { queue, waiter, env } = this
    // A client that is closed frees no lock whose work may still be running.
    if (tenure.state !== 'over' || env.closed) {
      const holds = tenure.holds.length + (tenure.growing ? 1 : 0)
      return { ...request, heldBefore: Math.max(request.heldBefore, holds) }
    }
    const lapsed = env.tenures.lapsed.has(request.owner)
    const again =
      queue.tenures.metBy(tenure.owner)?.storedAs === request.owner || queue.waiters.hasOther(waiter)
    return lapsed || !again ? { ...request, heldBefore: 0 } : request
  }

  /** The call has the lock, by an answer of the store or by hand-over. */
  granted(grant: HoldRecord): HoldRecord {
    this.queue.saw(undefined)
    return granted(this.env, this.call, grant, this.waiter.startedAt, this.calledAt)
  }

  /** No answer in time: what the request may come to is given back. */
  #tooLate(
    request: AcquireRequest,
    sent: Promise<AcquireReply>,
    earlier: unknown,
    sentAt: number,
    tenure: Tenure,
  ): undefined {
    this.#cutShort(request, sentAt)
    this.#undo(request, settledBy(sent, earlier), tenure)
  }

  /** Returns when the request is to be repeated after a pause; else its caller hears of the failure. */
  #failed(
    request: AcquireRequest,
    sent: Promise<AcquireReply>,
    earlier: unknown,
    sentAt: number,
    error: unknown,
    tenure: Tenure,
  ): undefined {
    const now = this.env.schedule.clock.now()
    if (this.waiter.cancelled || !isTransient(error)) {
      this.#undo(request, settledBy(sent, earlier), tenure)
      throw error
    }
    this.queue.outage.failed(error, sentAt, now)
    if (error instanceof ShortLeaseError) return this.#cameTooLate(error, sentAt)
    this.outage.failed(error, sentAt, now)
    this.#unsettled = { request, tenure }
    this.queue.place.forget(request.owner)
    if (this.call.waitMs === 0 && !this.call.insists) throw error
    if (this.outOfPatience(now)) throw this.queue.outage.cause
  }

  /** As {@link #failed}, for a reason that concerns this call alone: the calls behind it go on. */
  #cameTooLate(error: ShortLeaseError, sentAt: number): undefined {
    const { env, outage, queue, waiter, call } = this
    const now = env.schedule.clock.now()
    outage.failed(error, sentAt, now)
    this.#tooLateSince ??= sentAt
    if (call.waitMs === 0 || now - this.#tooLateSince >= env.settings.storeTimeoutMs) throw error
    if (this.outOfPatience(now)) throw this.queue.outage.cause
    queue.stepBehind(waiter)
  }

  /** Whether the store has failed for too long, whichever call found that out. */
  outOfPatience(now: number): boolean {
    const { outage } = this.queue
    if (!outage.on) return false
    const lastedMs = Math.max(outage.lastedMs(now, this.waiter.startedAt), this.outage.lastedMs(now))
    return lastedMs >= this.env.settings.storeTimeoutMs
  }

  /**
   * The wait ended before the answer came. That is the store's fault only where it had its time: a call that spent its wait in
   * the queue, or was answered before, may have asked a moment ago.
   */
  #cutShort({ name }: AcquireRequest, sentAt: number): void {
    const { outage, env, call } = this
    const now = env.schedule.clock.now()
    if (call.waitMs > 0 && !outage.on && now - sentAt < LEAST_ANSWER_MS / 2) return
    outage.failed(outage.cause ?? noAnswer(name, env.kind), sentAt, now)
  }

  /** By when the answer must be there (rule W5). A single attempt has as long as one command, even if the store needs several for it. */
  #answerBy(): number {
    const { call, env } = this
    const { startedAt } = this.waiter
    if (call.insists) return Infinity
    if (call.waitMs === 0) return startedAt + env.settings.commandTimeoutMs + OWN_FAILURE_MS
    return startedAt + (this.#count === 0 ? Math.max(call.waitMs, LEAST_ANSWER_MS) : call.waitMs)
  }

  #undo(request: AcquireRequest, sent: Promise<AcquireReply>, tenure?: Tenure): void {
    const { orphans } = this.env
    const placed = this.queue.place.forget(request.owner)
    const nested = tenure && request.heldBefore > 0
    void orphans.begin(
      request,
      placed ? sent.catch(stillPlaced) : sent,
      nested ? () => this.#nestedNow(request, tenure) : undefined,
    )
  }
}
