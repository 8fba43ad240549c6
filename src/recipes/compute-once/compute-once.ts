import { checkFunction, checkName } from '../../base/checks/checks.js'
import { ClosedError, InvalidArgumentError, LockTimeoutError, StoreError } from '../../base/errors/errors.js'
import { ShortLeaseError } from '../../base/errors/short-lease-error.js'
import { Scope } from '../../base/identity/owner.js'
import { onAbort, throwIfAborted } from '../../base/waiting/signals.js'
import type { Call, Refusal } from '../../core/acquire/call.js'
import { LEAST_ANSWER_MS, retry } from '../../core/acquire/outage.js'
import { TIME_IS_UP, Waiter } from '../../core/queue/waiter.js'
import { HoldRecord } from '../../core/tenure/tenure.js'
import type { KindContext } from '../../kinds/acquiring/acquirer.js'
import { applyOnce } from '../../kinds/acquiring/apply-once.js'
import { traceOf } from '../../kinds/acquiring/grant.js'
import { runSection } from '../../kinds/acquiring/section.js'
import { Hold } from '../../kinds/hold.js'
import { isTransient, noAnswer } from '../../port/failure.js'
import type { ValuesPort } from '../../port/kind-ports.js'
import { type CachedValue, cachedValueOf, entryOf, isFresh, isUsable } from './cached-value.js'
import { type ComputeOnceOptions, checkComputeOnceOptions } from './compute-once-options.js'
import { Flight } from './flight.js'
import { parsedFrom, textOf } from './kept-text.js'

/** Computes a value. `hold` is the hold of the lock under which it runs. */
export type Compute<Value> = (hold: Hold) => Value | PromiseLike<Value>

/** One call of `computeOnce`. */
interface Wanted<Value> {
  readonly key: string
  /** The lock under which the value is computed and beside which it is stored. */
  readonly name: string
  readonly compute: Compute<Value>
  readonly options: ComputeOnceOptions
}

interface Computed<Value> extends CachedValue {
  readonly value: Awaited<Value>
}

/**
 * Values that one process computes for all: a lock, and a value stored beside it. Calls of one process for one key share a flight.
 * The call that leads it reads the store; if there is no value it takes the lock, reads again, computes and stores. The store
 * accepts a value only while its lock is held, so a computation that outlives the lock cannot overwrite a newer value.
 */
export class ComputeOnce {
  readonly #flights = new Map<string, Flight>()
  readonly #refreshing = new Set<string>()

  constructor(
    private readonly terms: KindContext,
    private readonly values: ValuesPort,
  ) {}

  async get<Value>(key: string, compute: Compute<Value>, given: ComputeOnceOptions): Promise<Awaited<Value>> {
    if (typeof key !== 'string' || key.length === 0 || !key.isWellFormed()) {
      throw new InvalidArgumentError('key', key, 'a string of well-formed Unicode, not empty')
    }
    checkFunction('compute', compute, 'computeOnce(key, compute, { ttlMs: … })')
    const options = checkComputeOnceOptions(given)
    const wanted: Wanted<Value> = { key, name: checkName(`once:${key}`), compute, options }
    const { signal } = options
    throwIfAborted(signal)
    const { owners, locker } = this.terms
    const caller = owners.caller(undefined) ?? new Scope(owners.next(), undefined)
    const call = this.#callOf(wanted, caller, caller)
    const waiter = new Waiter(call, locker.schedule)
    const stopListening = signal && onAbort(signal, (reason) => waiter.cancel(reason))
    let failingSince: number | undefined
    try {
      for (;;) {
        const flight = this.#flights.get(key)
        if (!flight) return await this.#lead(wanted, waiter, failingSince)
        this.#refuseWithinItself(key, flight)
        const found = await this.#inTime(waiter, answerBy(waiter), flight.found)
        if (isUsable(found, options.staleMs, this.#now())) return parsedFrom(found.text)
        const shared = await this.#inTime(waiter, waiter.startedAt + call.waitMs, flight.result)
        if (isUsable(shared, options.staleMs, this.#now())) return parsedFrom(shared.text)
        if (flight.thrown) throw flight.thrown.error
        failingSince = this.#failingSince(waiter, flight, failingSince)
      }
    } finally {
      stopListening?.()
    }
  }

  /**
   * Since when the store has failed a call whose flight has ended without a value: the calls that wait for one another count an outage
   * together, each from its own beginning at the earliest. Throws what the store failed with when that has lasted for too long, or at once
   * for a call that makes one attempt: this was its own as well.
   */
  #failingSince({ startedAt, call }: Waiter, { failure }: Flight, before = Infinity): number | undefined {
    if (!failure) return undefined
    const since = Math.min(before, Math.max(failure.since, startedAt))
    const isOver = call.waitMs === 0 && failure.error !== undefined
    if (isOver || this.#now() - since >= this.terms.locker.settings.storeTimeoutMs)
      throw failure.error ?? noAnswer(call.name)
    return since
  }

  /** Leads the flight that all calls of this process for the key share. */
  async #lead<Value>(
    wanted: Wanted<Value>,
    waiter: Waiter,
    failingSince: number | undefined,
  ): Promise<Awaited<Value>> {
    const { key, name, options } = wanted
    const flight = new Flight()
    this.#flights.set(key, flight)
    let result: CachedValue | undefined
    try {
      const { waitMs, caller } = waiter.call
      const reading = this.#readInTime(waiter, answerBy(waiter), flight, failingSince)
      flight.found = reading.catch(() => undefined)
      const kept = await reading
      if (isUsable(kept, options.staleMs, this.#now())) {
        result = kept
        if (!isFresh(kept, this.#now())) this.#refresh(wanted)
        return parsedFrom(kept.text)
      }
      const scope = new Scope(caller.owner, caller)
      const left = Math.max(waiter.startedAt + waitMs - this.#now(), 1)
      const call = { ...this.#callOf(wanted, caller, scope), waitMs: waitMs === 0 ? 0 : left, failingSince }
      const outcome = await this.#acquire(call, flight)
      if (!(outcome instanceof HoldRecord)) {
        if (waitMs === 0 && outcome.cause !== undefined) throw outcome.cause
        throw new LockTimeoutError(name, outcome.waitedMs, outcome, outcome.cause, 'value')
      }
      flight.scope = scope
      const lookBy = Math.max(answerBy(waiter), this.#now() + LEAST_ANSWER_MS)
      const look = (): Promise<CachedValue | undefined> => this.#readInTime(waiter, lookBy, flight)
      const computed = await this.#computeUnder(outcome, scope, wanted, options.staleMs, flight, look)
      result = computed
      return computed.value
    } finally {
      this.#end(key, flight, result)
    }
  }

  async #acquire(call: Call, flight: Flight): Promise<HoldRecord | Refusal> {
    const askedAt = this.#now()
    const { locker } = this.terms
    try {
      const outcome = await locker.acquire(call)
      if (!(outcome instanceof HoldRecord) && outcome.failingSince !== undefined)
        flight.failure = { error: outcome.cause, since: outcome.failingSince }
      return outcome
    } catch (error) {
      // One that waits has put up with the store for so long; before, it may have waited for a holder.
      const since = call.waitMs === 0 ? askedAt : this.#now() - locker.settings.storeTimeoutMs
      // A lease that was too short for the store was this call's own.
      if (isTransient(error) && !(error instanceof ShortLeaseError)) flight.failure = { error, since }
      throw error
    }
  }

  /** Later calls start a flight of their own. Only the first call counts. */
  #end(key: string, flight: Flight, result?: CachedValue): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key)
    flight.settle(result)
  }

  /** The caller already has the stale value; one process computes a fresh one in the background. */
  #refresh<Value>(wanted: Wanted<Value>): void {
    const { key } = wanted
    if (this.#refreshing.has(key)) return
    this.#refreshing.add(key)
    const { owners, locker } = this.terms
    const caller = new Scope(owners.next(), undefined)
    const scope = new Scope(caller.owner, caller)
    const { signal: _, ...options } = wanted.options
    const call = { ...this.#callOf({ ...wanted, options }, caller, scope), waitMs: 0 }
    const refreshing = async (): Promise<void> => {
      try {
        const outcome = await locker.acquire(call)
        if (outcome instanceof HoldRecord) await this.#computeUnder(outcome, scope, wanted, 0, new Flight())
      } catch (error) {
        if (!(error instanceof ClosedError)) locker.events.emit('error', error)
      } finally {
        this.#refreshing.delete(key)
      }
    }
    void refreshing()
  }

  async #computeUnder<Value>(
    grant: HoldRecord,
    scope: Scope,
    { key, name, compute, options }: Wanted<Value>,
    staleMs: number | undefined,
    flight: Flight,
    look = (): Promise<CachedValue | undefined> => this.#read(name),
  ): Promise<Computed<Value>> {
    const { locker, owners } = this.terms
    if (!this.#isCurrent(scope.parent)) scope.parent?.end()
    // Another process may have stored a value between the first read and the grant. Then the caller need not wait for the release.
    let kept: CachedValue | undefined
    try {
      kept = await look()
    } catch (error) {
      void locker.discard(grant)
      throw error
    }
    if (isUsable(kept, staleMs, this.#now())) {
      void locker.discard(grant)
      return { ...kept, value: parsedFrom(kept.text) }
    }
    const hold = new Hold(grant, locker, owners, undefined)
    const body = async (): Promise<Computed<Value>> => {
      // A closed client no longer renews the lock: other calls must not wait for this computation.
      hold.signal.addEventListener('abort', () => {
        if (hold.signal.reason instanceof ClosedError) this.#end(key, flight)
      })
      let value: Awaited<Value>
      let text: string
      try {
        value = await compute(hold)
        text = textOf(key, value)
      } catch (error) {
        // The calls that wait share a failure; who comes later tries anew.
        flight.thrown = { error }
        throw error
      }
      await this.#keep(grant, name, entryOf(text, options.staleMs ?? 0), options)
      // The calls that waited take this value even if computing it took longer than `ttlMs`.
      return { value, text, staleAt: Infinity }
    }
    const trace = traceOf({ grant, locker })
    return await runSection(hold, trace, { body, scope, owners, onLost: 'continue', locker })
  }

  /** The caller gets the value whether or not it can be stored. */
  async #keep(
    grant: HoldRecord,
    name: string,
    text: string,
    { ttlMs, staleMs = 0 }: ComputeOnceOptions,
  ): Promise<void> {
    const { locker } = this.terms
    if (grant.endedBy) return
    const request = { name, owner: grant.tenure.storedAs, text, keepMs: ttlMs + staleMs }
    // Storing the value twice is harmless, so the outcome of a lost reply does not matter.
    await applyOnce(locker, () => this.values.keep(request)).catch((error: unknown) =>
      locker.events.emit('error', error),
    )
  }

  async #read(name: string): Promise<CachedValue | undefined> {
    const kept = await this.terms.locker.query(() => this.values.read(name))
    return kept && cachedValueOf(kept, this.#now())
  }

  /**
   * As its leader reads for a flight: as patiently as a call that waits for a lock. One that has no more time for the answer leaves the others
   * with the store's silence so far.
   * @param failingSince since when the store has failed flights before this one
   */
  async #readInTime(
    waiter: Waiter,
    deadline: number,
    flight: Flight,
    failingSince?: number,
  ): Promise<CachedValue | undefined> {
    const { schedule, pauses, settings } = this.terms.locker
    const { name, waitMs } = waiter.call
    const since = failingSince ?? this.#now()
    flight.failure = { error: undefined, since }
    let left = false
    const terms = {
      clock: schedule.clock,
      pause: (until: number) => pauses.until(until),
      patienceMs: waitMs === 0 ? 0 : Math.max(since + settings.storeTimeoutMs - this.#now(), 0),
      givesUp: () => left,
    }
    try {
      const kept = await this.#inTime(
        waiter,
        deadline,
        retry(() => this.#read(name), terms),
      )
      flight.failure = undefined
      return kept
    } catch (error) {
      if (error instanceof StoreError) flight.failure = isTransient(error) ? { error, since } : undefined
      throw error
    } finally {
      left = true
    }
  }

  async #inTime<Result>(waiter: Waiter, deadline: number, work: Promise<Result>): Promise<Result> {
    const result = await waiter.upTo(deadline, work)
    if (result !== TIME_IS_UP) return result
    throw new LockTimeoutError(waiter.call.name, this.#now() - waiter.startedAt, {}, undefined, 'value')
  }

  #callOf<Value>({ name, options }: Wanted<Value>, caller: Scope, holder: Scope): Call {
    return {
      name,
      caller,
      holder,
      unrelated: !this.#isCurrent(caller),
      waitMs: options.waitMs ?? Infinity,
      leaseMs: options.leaseMs,
      maxHoldMs: this.terms.maxHoldMs,
      signal: options.signal,
    }
  }

  /** A computation that waited for its own key would wait for ever. */
  #refuseWithinItself(key: string, { scope }: Flight): void {
    const current = this.terms.owners.current()
    if (current && scope?.encloses(current)) {
      throw new InvalidArgumentError('key', key, 'another key: this call runs within its computation')
    }
  }

  #isCurrent(scope: Scope | undefined): boolean {
    return scope === this.terms.owners.current()
  }

  #now(): number {
    return this.terms.locker.schedule.clock.now()
  }
}

/** Until when the call waits for the store's first answer. */
function answerBy({ startedAt, call: { waitMs } }: Waiter): number {
  return waitMs === 0 ? Infinity : startedAt + Math.max(waitMs, LEAST_ANSWER_MS)
}
