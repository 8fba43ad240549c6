import { StoreError } from '../../base/errors/errors.js'
import { ShortLeaseError } from '../../base/errors/short-lease-error.js'
import { isTransient, noAnswer } from '../../port/failure.js'
import { renewUntil } from '../../port/lease.js'
import type { AcquireReply, AcquireRequest, BusyReply, GrantedReply } from '../../port/lock-port.js'
import type { Environment } from '../environment.js'
import type { LocalQueue } from '../queue/local-queue.js'
import { TIME_IS_UP, type Waiter } from '../queue/waiter.js'
import { HoldRecord, type Stay, type Tenure } from '../tenure/tenure.js'
import type { Call } from './call.js'
import { granted } from './granted.js'
import type { Learned } from './learned.js'
import { LEAST_ANSWER_MS, OWN_FAILURE_MS } from './outage.js'
import { Traces } from './traces.js'
import type { Waiting } from './waiting.js'

/** A request that was sent, and what was so when it was. */
interface Question {
  readonly request: AcquireRequest
  readonly tenure: Tenure
  readonly sent: Promise<AcquireReply>
  readonly sentAt: number
  /** What the same request has failed with before: an answer settles that, another failure does not. */
  readonly earlier: unknown
  /** Whether the watch was in force, and what had been announced last. */
  readonly watching: boolean
  readonly version: number
  readonly leaseMs: number
  /** Set where it was sent with the wish to keep the lock. */
  readonly stay: Stay | undefined
}

/**
 * One call's requests for the lock, one at a time. Leaves no hold behind that nobody has (rule W4). Most of its fields are the call's other
 * parts, to which it tells what each answer means for them.
 */
export class Attempt {
  readonly traces: Traces
  private readonly call: Call
  /** Since when its grants have come too late for their lease, one after the other. */
  #tooLateSince: number | undefined
  /** In rounds: the answer so far, and when the store was last heard. */
  #soFar: BusyReply | undefined
  #heardAt = -Infinity

  constructor(
    private readonly env: Environment,
    private readonly queue: LocalQueue,
    private readonly waiter: Waiter,
    private readonly waiting: Waiting,
    private readonly learned: Learned,
  ) {
    this.call = waiter.call
    this.traces = new Traces(env, queue, waiter)
  }

  /** Sends one acquire and deals with its answer. Undefined when it was not granted in time, or failed for the moment. */
  async send(tenure: Tenure): Promise<HoldRecord | undefined> {
    const { env, waiter, queue } = this
    const left = env.port.inRounds ? new AbortController() : undefined
    waiter.attempting = true
    try {
      const answerBy = this.#answerBy()
      const question = this.#ask(tenure, answerBy, left?.signal)
      const silence = this.waiting.expectAnswer()
      let reply: AcquireReply | typeof TIME_IS_UP
      tenure.growing = true
      try {
        reply = await waiter.upTo(answerBy, question.sent)
        if (reply !== TIME_IS_UP) checkTimes(reply, queue.name)
      } catch (error) {
        return this.#failed(question, error)
      } finally {
        tenure.growing = false
        env.schedule.cancel(silence)
      }
      return reply === TIME_IS_UP ? this.#tooLate(question) : this.#read(question, reply)
    } finally {
      left?.abort()
      waiter.attempting = false
      queue.waiters.told()
      if (tenure.renewUntil === undefined) env.tenures.watchdog.unwatch(tenure)
    }
  }

  #ask(tenure: Tenure, answerBy: number, left: AbortSignal | undefined): Question {
    const { env, queue, call, waiter, learned } = this
    const watching = queue.watch.inForce
    const stay = tenure.holds.length === 0 ? env.lingering.offer(call) : undefined
    const leaseMs = env.lingering.leaseMs(call, stay)
    const hears = watching || queue.pollsOf(call) !== undefined
    const request: AcquireRequest = {
      name: tenure.name,
      owner: tenure.storedAs,
      heldBefore: tenure.holds.length,
      leaseMs: leaseMs + env.settings.quarantineMs,
      // One that may have been given a place before has it still.
      waits: !waiter.once && (hears || this.traces.mayBeInLine),
      permits: call.permits,
      lingers: stay !== undefined,
      caller: left && this.#caller(answerBy, left),
    }
    if (learned.patience) learned.patience.askAgainAt = undefined
    waiter.askedAs = request.owner
    queue.watch.read()
    queue.policy.aboutToAsk?.()
    waiter.drain()
    learned.asked += 1
    const sentAt = env.schedule.clock.now()
    this.#heardAt = sentAt
    // Before it is sent, so that no grant is ever without its watchdog (rule L5).
    if (call.leaseMs === undefined) env.tenures.watchdog.watch(tenure, sentAt)
    const { version } = queue.watch
    const sent = call.sends?.(request) ?? env.port.acquire(request)
    const earlier = this.traces.repeated(request)
    learned.watching = false
    return { request, tenure, sent, sentAt, earlier, watching, version, leaseMs, stay }
  }

  #caller(waitsUntil: number, left: AbortSignal): AcquireRequest['caller'] {
    this.#soFar = undefined
    const hears = (busy: BusyReply): void => {
      this.#soFar = busy
      this.#heardAt = this.env.schedule.clock.now()
    }
    return { since: this.waiter.startedAt, waitsUntil, left, hears }
  }

  /** By when the answer must be there (rule W5). A single attempt has as long as one command, even if the store needs several for it. */
  #answerBy(): number {
    const { call, env, learned } = this
    const { startedAt } = this.waiter
    if (call.insists) return Infinity
    if (call.waitMs === 0) return startedAt + env.settings.commandTimeoutMs + OWN_FAILURE_MS
    return startedAt + (learned.asked === 0 ? Math.max(call.waitMs, LEAST_ANSWER_MS) : call.waitMs)
  }

  /** What an answer says to this call and to the others. */
  #read(question: Question, reply: AcquireReply): HoldRecord | undefined {
    const { env, queue, learned } = this
    const { request, watching } = question
    queue.watch.readUpTo(question.version)
    queue.policy.onReply(this.waiter, reply, watching)
    const placed = reply.outcome === 'busy' && request.waits && env.port.line !== undefined
    if (placed && !watching && env.kind.placePer !== 'call') queue.leavePlace(request.owner)
    queue.leaveUnusedPlace()
    learned.ofReply(reply, watching)
    // What stood in line before still does, though the store keeps no line at the moment.
    if (reply.outcome !== 'busy') this.traces.inLine(undefined)
    else if (placed && env.kind.placePer === 'call') this.traces.inLine(request)
    if (reply.outcome === 'granted') return this.#admit(question, reply)
    this.#tooLateSince = undefined
    this.#refused(question, reply)
    return undefined
  }

  #admit(question: Question, reply: GrantedReply): HoldRecord | undefined {
    const { env, queue, call } = this
    const { tenure, sentAt, leaseMs, stay } = question
    const until = call.leaseMs === undefined ? renewUntil(sentAt, call.maxHoldMs) : undefined
    const grant = new HoldRecord(tenure, call.holder, until, call.reentrant)
    tenure.fence ??= reply.fence
    const { since, leaseMs: grantedMs } = reply.granted ?? { since: reply.since ?? sentAt, leaseMs }
    if (env.tenures.granted(queue, grant, since, grantedMs)) {
      if (stay) env.lingering.begun(tenure, reply, stay, sentAt, leaseMs)
      return this.granted(grant)
    }
    this.traces.undo(question.request, question.sent, tenure)
    if (tenure.state === 'over') return undefined
    return this.#cameTooLate(new ShortLeaseError(call.name, leaseMs), sentAt)
  }

  /** The call has the lock, by an answer of the store or by hand-over. */
  granted(grant: HoldRecord): HoldRecord {
    this.queue.saw(undefined)
    return granted(this.env, this.waiter, grant, this.env.schedule.clock.now())
  }

  #refused(
    { request, tenure }: Pick<Question, 'request' | 'tenure'>,
    reply: Exclude<AcquireReply, { outcome: 'granted' }>,
  ): void {
    const { orphans, port } = this.env
    if (reply.outcome === 'busy') {
      this.learned.ofHolder(reply)
      this.waiting.tell()
      return
    }
    tenure.lose()
    // The tenure may have been lost before, so `lose` may have done nothing.
    if (port.inParts) orphans.leave(tenure, request.leaseMs)
  }

  /** The wait ended before the answer came: what the request may come to is given back. */
  #tooLate(question: Question): undefined {
    if (this.#soFar) {
      this.#tooLateSince = undefined
      this.learned.storeAnswers(this.#soFar)
      this.#refused(question, this.#soFar)
    } else this.#cutShort(question.sentAt)
    this.#undo(question)
  }

  /** Gives back what it may come to. An answer settles earlier tries of the same request; another failure does not. */
  #undo({ request, tenure, sent, earlier }: Question): void {
    const settled = earlier === undefined ? sent : sent.catch(() => Promise.reject(earlier))
    this.traces.undo(request, settled, tenure)
  }

  /**
   * Blames the store for a missing answer only if it had the time to give one: a call that spent its wait in the queue, or was answered
   * before, may have asked a moment ago.
   */
  #cutShort(sentAt: number): void {
    const { env, call } = this
    const { outage } = this.learned
    const now = env.schedule.clock.now()
    if (call.waitMs > 0 && !outage && now - sentAt < LEAST_ANSWER_MS / 2) return
    this.learned.failed(outage?.cause ?? noAnswer(call.name, env.kind), sentAt, now)
  }

  /** Returns when the request is to be repeated after a pause; else its caller hears of the failure. */
  #failed(question: Question, error: unknown): undefined {
    const { queue, call, learned } = this
    const now = this.env.schedule.clock.now()
    if (this.waiter.cancelled || !isTransient(error)) {
      this.#undo(question)
      throw error
    }
    queue.failed(error, this.#heardAt, now)
    if (error instanceof ShortLeaseError) return this.#cameTooLate(error, this.#heardAt)
    learned.failed(error, this.#heardAt, now)
    this.traces.unanswered(question.request, question.tenure, error)
    if (call.waitMs === 0 && !call.insists) throw error
    if (this.outOfPatience(now)) throw queue.outage?.cause
  }

  /** As {@link #failed}, for a reason that concerns this call alone: the calls behind it go on. */
  #cameTooLate(error: ShortLeaseError, sentAt: number): undefined {
    const { env, queue, waiter, call } = this
    const now = env.schedule.clock.now()
    this.learned.failed(error, sentAt, now)
    this.#tooLateSince ??= sentAt
    if (call.waitMs === 0 || now - this.#tooLateSince >= env.settings.storeTimeoutMs) throw error
    if (this.outOfPatience(now)) throw queue.outage?.cause
    queue.stepBehind(waiter)
  }

  /** Whether the store has failed for too long, whichever call found that out. */
  outOfPatience(now: number): boolean {
    const { outage } = this.queue
    if (!outage) return false
    const ownMs = this.learned.outage?.lastedMs(now) ?? 0
    const lastedMs = Math.max(outage.lastedMs(now, this.waiter.startedAt), ownMs)
    return lastedMs >= this.env.settings.storeTimeoutMs
  }
}

/** Refuses an answer with a time in it that is none: a store of another maker may give anything. What it has done is unknown. */
function checkTimes(reply: AcquireReply, lockName: string): void {
  if (reply.outcome === 'lost') return
  const times =
    reply.outcome === 'busy'
      ? [reply.remainingMs, reply.againMs]
      : [reply.room, reply.fullForMs, reply.since, reply.granted?.since, reply.granted?.leaseMs]
  if (!times.some(Number.isNaN)) return
  const hint = 'The answer of the store has a time in it that is no number.'
  throw new StoreError('unreadable', 'acquire', { lockName, transient: true, hint })
}
