import { checkFunction } from '../../base/checks/checks.js'
import { LockTimeoutError, NoOwnerError } from '../../base/errors/errors.js'
import { type Owner, type Owners, Scope } from '../../base/identity/owner.js'
import type { Call, Refusal } from '../../core/acquire/call.js'
import type { Locker } from '../../core/locker.js'
import { acquireChannel, traceAcquire } from '../../observe/trace/acquire.js'
import { beginHold } from '../../observe/trace/hold.js'
import type { Polls } from '../../port/lock-port.js'
import type { Kind } from '../kinds.js'
import {
  type AcquireOptions,
  checkAcquireOptions,
  checkLingers,
  type UnlockOptions,
} from '../options/options.js'
import { warnIfDropped } from './dropped-hold.js'
import { type Members, resultOf, traceOf } from './grant.js'
import type { OpenLocks } from './open-locks.js'
import { optionsAndBody, type Returnable, runSection, type Section } from './section.js'

/** What the handles of one kind have in common. */
export interface KindContext {
  readonly kind: Kind
  readonly locker: Locker
  readonly owners: Owners
  readonly openLocks: OpenLocks
  readonly maxHoldMs: number
  /** Where its store keeps a lock of that name, see `BatchPort`: the same in every process. */
  readonly placeOf: (name: string) => number
  /** How long its locks may stay with the process after their release; undefined where they cannot. */
  readonly lingerMs?: number | 'auto' | undefined
  /** Whether its sections may take it once more; absent: as the kind says. */
  readonly reentrant?: boolean | undefined
  /** Where its calls ask for it by more than an `acquire`. */
  readonly sends?: Call['sends']
  /** Where no news comes: how long its calls pause between attempts. */
  readonly polls?: Polls | undefined
}

/** What sets a call apart from others of its kind. */
type Unusual = Pick<Call, 'sends' | 'insists'>

type Check = (options: UnlockOptions, owners: Owners) => UnlockOptions

/** A call's end without what it was for; `name`, if that is not the name it was called by, is of the lock that stood in the way. */
export type Refused = Refusal & { readonly name?: string }

/**
 * The way in, for one lock, several as one, or any of several: from the options of a call to a hold, or to the error that says why
 * there is none. The public classes are made of it.
 */
export abstract class Acquirer<Granted extends object, Held extends Returnable & object> {
  constructor(
    readonly name: string,
    readonly context: KindContext,
  ) {}

  protected abstract take(call: Call): Promise<Granted | Refused>
  protected abstract membersOf(granted: Granted): Members
  /** @param ownScope the scope that ends with the hold */
  protected abstract holdOf(granted: Granted, holder: Scope, ownScope: Scope | undefined): Held

  async withLock<Result>(
    optionsOrBody: AcquireOptions | Section<Result, Held>,
    bodyOrNothing: Section<Result, Held> | undefined,
    permits?: number,
  ): Promise<Awaited<Result>> {
    const [given, body] = optionsAndBody(optionsOrBody, bodyOrNothing)
    const { owners, locker, kind } = this.context
    const options = checkAcquireOptions(given, owners)
    checkFunction('body', body, 'withLock(async ({ signal }) => …)')
    const caller = this.callerOrNew(options.owner)
    const scope = new Scope(caller.owner, caller)
    const outcome = await this.#call(options, Infinity, caller, scope, permits)
    const granted = this.#grantedOrThrow(outcome, options)
    // What outlives the section must find no scope of its owner alive (rule O3), so one made for this call ends before it runs.
    if (!this.#isCurrent(caller)) caller.end()
    const [first, ...others] = this.membersOf(granted)
    // The section reports the first hold around its body.
    for (const other of others) beginHold(traceOf(other))
    return await runSection(this.holdOf(granted, scope, undefined), traceOf(first), {
      body,
      scope: kind.reentrant === false ? undefined : scope,
      owners,
      onLost: options.onLost,
      locker,
    })
  }

  /** @param holder where the hold is to belong to a scope of the caller's and not to a variable */
  async acquire(given: AcquireOptions, permits?: number, holder?: Scope): Promise<Held> {
    const options = checkAcquireOptions(given, this.context.owners)
    const scope = holder ?? this.callerOrNew(options.owner)
    const outcome = await this.#call(options, Infinity, scope, scope, permits)
    return this.#begin(this.#grantedOrThrow(outcome, options), scope)
  }

  /**
   * @param holder as for {@link acquire}
   * @param more what sets the call apart from others
   */
  async tryAcquire(
    given: AcquireOptions,
    permits?: number,
    holder?: Scope,
    more?: Unusual,
  ): Promise<Held | null> {
    const options = checkAcquireOptions(given, this.context.owners)
    const scope = holder ?? this.callerOrNew(options.owner)
    const outcome = await this.#call(options, 0, scope, scope, permits, more)
    if (!isRefusal(outcome)) return this.#begin(outcome, scope)
    if (outcome.cause !== undefined) throw outcome.cause
    return null
  }

  callerOrNew(explicit: Owner | undefined): Scope {
    const { owners, kind } = this.context
    const caller = kind.reentrant === false ? undefined : owners.caller(explicit)
    return caller ?? new Scope(owners.next(), undefined)
  }

  /** For the methods whose hold belongs to a scope. Checks their options. */
  callerOrRefuse(options: UnlockOptions, method: string, check: Check = checkAcquireOptions): Scope {
    const { owners } = this.context
    const caller = owners.caller(check(options, owners).owner)
    if (!caller) throw new NoOwnerError(this.name, method)
    return caller
  }

  #grantedOrThrow(outcome: Granted | Refused, options: AcquireOptions): Granted {
    if (!isRefusal(outcome)) return outcome
    if (options.waitMs === 0 && outcome.cause !== undefined) throw outcome.cause
    const { asks, reentrant } = this.context.kind
    const wants = asks ?? (reentrant === false ? 'permits' : undefined)
    throw new LockTimeoutError(outcome.name ?? this.name, outcome.waitedMs, outcome, outcome.cause, wants)
  }

  /** A scope that was made for this one acquisition ends with it: what still runs in it then is nobody's section (rule O3). */
  #begin(granted: Granted, scope: Scope): Held {
    const members = this.membersOf(granted)
    for (const member of members) beginHold(traceOf(member))
    const hold = this.holdOf(granted, scope, this.#isCurrent(scope) ? undefined : scope)
    return warnIfDropped(hold, members)
  }

  #isCurrent(scope: Scope): boolean {
    return scope === this.context.owners.current()
  }

  #call(
    options: AcquireOptions,
    waitMs: number,
    caller: Scope,
    holder: Scope,
    permits: number | undefined,
    more?: Unusual,
  ): Promise<Granted | Refused> {
    const { kind, locker, maxHoldMs, polls, lingerMs, reentrant, sends } = this.context
    checkLingers(options.lingerMs, lingerMs)
    const call: Call = {
      name: this.name,
      caller,
      holder,
      unrelated: options.owner === undefined && !this.#isCurrent(caller),
      waitMs: options.waitMs ?? waitMs,
      leaseMs: options.leaseMs,
      maxHoldMs: options.maxHoldMs ?? maxHoldMs,
      lingerMs: options.lingerMs ?? lingerMs,
      signal: options.signal,
      reentrant,
      permits,
      polls,
      sends,
      ...more,
    }
    if (!acquireChannel.hasSubscribers) return this.take(call)
    return traceAcquire(
      { name: this.name, kind: kind.name, owner: caller.owner },
      call.signal,
      locker.schedule.clock,
      () => this.take(call),
      (outcome) => resultOf(isRefusal(outcome) ? outcome : this.membersOf(outcome)[0].grant),
    )
  }
}

function isRefusal(outcome: object): outcome is Refused {
  return 'cause' in outcome
}
