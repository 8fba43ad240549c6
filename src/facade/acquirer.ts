import type { Call, Refusal } from '../core/acquire/call.js'
import type { Locker } from '../core/locker.js'
import { HoldRecord } from '../core/tenure/tenure.js'
import { InvalidArgumentError, LockTimeoutError, NoOwnerError } from '../errors/errors.js'
import { type Owner, type Owners, Scope } from '../identity/owner.js'
import { Hold } from '../kinds/hold.js'
import type { Kind } from '../kinds/kinds.js'
import type { Polls } from '../ports/lock-port.js'
import { acquireChannel, traceAcquire } from '../trace/acquire.js'
import { resultOf, traceOf } from '../trace/grant.js'
import { beginHold } from '../trace/hold.js'
import { warnIfDropped } from './dropped-hold.js'
import type { OpenLocks } from './open-locks.js'
import { type AcquireOptions, checkAcquireOptions } from './options.js'
import { runSection, type Section } from './section.js'

export const NO_OPTIONS: AcquireOptions = {}

/** What the entries of one kind have in common. */
export interface KindContext {
  readonly kind: Kind
  readonly locker: Locker
  readonly owners: Owners
  readonly openLocks: OpenLocks
  readonly maxHoldMs: number
  /** Where no news comes: how long its calls pause between attempts. */
  readonly polls?: Polls | undefined
}

/**
 * The way in to one lock, permit or latch, for whichever kind: from the options of a call to a hold, or to the error that says
 * why there is none. The public classes are made of it.
 */
export class Acquirer {
  constructor(
    readonly name: string,
    readonly terms: KindContext,
  ) {}

  async withLock<Result>(
    options: AcquireOptions,
    body: Section<Result> | undefined,
    permits?: number,
  ): Promise<Awaited<Result>> {
    const { owners, locker, kind } = this.terms
    checkAcquireOptions(options, owners)
    if (typeof body !== 'function') throw new InvalidArgumentError('body', body, 'a function')
    const caller = this.callerOrNew(options.owner)
    const scope = new Scope(caller.owner, caller)
    const outcome = await this.#call(options, Number.POSITIVE_INFINITY, caller, scope, permits)
    const grant = this.#grantedOrThrow(outcome, options)
    // What outlives the section must find no scope of its owner alive (rule O3), so one made for this call ends before it runs.
    if (!this.#isCurrent(caller)) caller.end()
    return await runSection(new Hold(grant, locker, owners, undefined), grant, {
      body,
      scope: kind.reentrant ? scope : undefined,
      owners,
      onLost: options.onLost,
      onTrouble: (error) => locker.emit('error', error),
    })
  }

  async acquire(options: AcquireOptions, permits?: number): Promise<Hold> {
    checkAcquireOptions(options, this.terms.owners)
    const scope = this.callerOrNew(options.owner)
    const outcome = await this.#call(options, Number.POSITIVE_INFINITY, scope, scope, permits)
    return this.#begin(this.#grantedOrThrow(outcome, options), scope)
  }

  async tryAcquire(options: AcquireOptions, permits?: number): Promise<Hold | null> {
    checkAcquireOptions(options, this.terms.owners)
    const scope = this.callerOrNew(options.owner)
    const outcome = await this.#call(options, 0, scope, scope, permits)
    if (outcome instanceof HoldRecord) return this.#begin(outcome, scope)
    if (outcome.cause !== undefined) throw outcome.cause
    return null
  }

  /** As {@link acquire}, for a hold that belongs to a scope of the caller's and not to a variable. */
  async acquireFor(scope: Scope, options: AcquireOptions): Promise<Hold> {
    const outcome = await this.#call(options, Number.POSITIVE_INFINITY, scope, scope, undefined)
    return this.#begin(this.#grantedOrThrow(outcome, options), scope)
  }

  /** As {@link tryAcquire}, for a hold that belongs to a scope of the caller's and not to a variable. */
  async tryAcquireFor(scope: Scope, options: AcquireOptions): Promise<Hold | null> {
    const outcome = await this.#call(options, 0, scope, scope, undefined)
    if (outcome instanceof HoldRecord) return this.#begin(outcome, scope)
    if (outcome.cause !== undefined) throw outcome.cause
    return null
  }

  callerOrNew(explicit: Owner | undefined): Scope {
    const { owners, kind } = this.terms
    const caller = kind.reentrant ? owners.caller(explicit) : undefined
    return caller ?? new Scope(owners.next(), undefined)
  }

  callerOrRefuse(explicit: Owner | undefined, method: string): Scope {
    const caller = this.terms.owners.caller(explicit)
    if (!caller) throw new NoOwnerError(this.name, method)
    return caller
  }

  #grantedOrThrow(outcome: HoldRecord | Refusal, options: AcquireOptions): HoldRecord {
    if (outcome instanceof HoldRecord) return outcome
    if (options.waitMs === 0 && outcome.cause !== undefined) throw outcome.cause
    throw new LockTimeoutError(this.name, outcome.waitedMs, outcome, outcome.cause)
  }

  /** A scope that was made for this one acquisition ends with it: what still runs in it then is nobody's section (rule O3). */
  #begin(grant: HoldRecord, caller: Scope): Hold {
    beginHold(traceOf(grant))
    const { locker, owners } = this.terms
    const hold = new Hold(grant, locker, owners, this.#isCurrent(caller) ? undefined : caller)
    return warnIfDropped(hold, [{ grant, locker }])
  }

  #isCurrent(scope: Scope): boolean {
    return scope === this.terms.owners.current()
  }

  #call(
    options: AcquireOptions,
    waitMs: number,
    caller: Scope,
    holder: Scope,
    permits: number | undefined,
  ): Promise<HoldRecord | Refusal> {
    const { locker, maxHoldMs, polls } = this.terms
    const call: Call = {
      name: this.name,
      caller,
      holder,
      unrelated: options.owner === undefined && !this.#isCurrent(caller),
      waitMs: options.waitMs ?? waitMs,
      leaseMs: options.leaseMs,
      maxHoldMs: options.maxHoldMs ?? maxHoldMs,
      signal: options.signal,
      permits,
      polls,
    }
    if (!acquireChannel.hasSubscribers) return locker.acquire(call)
    const told = { name: call.name, owner: caller.owner, signal: call.signal, clock: locker.schedule.clock }
    return traceAcquire(told, () => locker.acquire(call), resultOf)
  }
}
