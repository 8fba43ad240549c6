import { crc32 } from 'node:zlib'
import { AcquireAny, type AnyOutcome } from '../core/acquire/acquire-any.js'
import type { HoldRecord } from '../core/tenure/tenure.js'
import { InvalidArgumentError, LockTimeoutError } from '../errors/errors.js'
import { Acquirer, type KindContext, NO_OPTIONS } from '../facade/acquirer.js'
import { warnIfDropped } from '../facade/dropped-hold.js'
import { type AcquireOptions, checkAcquireOptions } from '../facade/options.js'
import { runSection, type Section } from '../facade/section.js'
import { Scope } from '../identity/owner.js'
import { acquireChannel, traceAcquire } from '../trace/acquire.js'
import { resultOf, traceOf } from '../trace/grant.js'
import { beginHold } from '../trace/hold.js'
import { Hold } from './hold.js'
import { Lock } from './lock.js'

const MOST_STRIPES = 65_536

/** A hold of one stripe of a striped lock. */
export class StripeHold extends Hold {
  /** The index of the stripe. */
  readonly index: number

  /** @internal */
  constructor(
    index: number,
    grant: HoldRecord,
    { locker, owners }: KindContext,
    ownScope: Scope | undefined,
  ) {
    super(grant, locker, owners, ownScope)
    this.index = index
  }
}

/** The body of a striped lock's `withAny` section. */
export type StripeSection<Result> = Section<Result, StripeHold>

/**
 * One resource split over several locks, the stripes, so that as many callers can work on it at a time. Lock a stripe by key (the same
 * key always gets the same stripe), or any free stripe. The stripes are plain locks named `<name>:<index>`.
 */
export class StripedLock {
  readonly name: string
  /** The number of stripes. */
  readonly stripes: number
  readonly #terms: KindContext
  readonly #acquirer: Acquirer

  /** @internal */
  constructor(name: string, stripes: number, terms: KindContext) {
    if (!Number.isSafeInteger(stripes) || stripes < 1 || stripes > MOST_STRIPES) {
      throw new InvalidArgumentError('stripes', stripes, `a whole number from 1 to ${MOST_STRIPES}`)
    }
    this.name = name
    this.stripes = stripes
    this.#terms = terms
    this.#acquirer = new Acquirer(name, terms)
  }

  /** The lock of that stripe, counted from 0. */
  stripe(index: number): Lock {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.stripes) {
      throw new InvalidArgumentError('index', index, `a whole number from 0 to ${this.stripes - 1}`)
    }
    return new Lock(this.#nameOf(index), this.#terms)
  }

  /** The stripe of a key: the CRC-32 (as in zip) of its UTF-8 form modulo the number of stripes. This will never change. */
  indexOf(key: string): number {
    if (typeof key !== 'string' || !key.isWellFormed()) {
      throw new InvalidArgumentError('key', key, 'a string of well-formed Unicode')
    }
    return crc32(key) % this.stripes
  }

  /** The lock of a key's stripe. Two keys may share a stripe; a section of one then re-enters a section of the other. */
  forKey(key: string): Lock {
    return this.stripe(this.indexOf(key))
  }

  /** As `forKey(key).withLock(…)`. */
  withLock<Result>(key: string, body: Section<Result>): Promise<Awaited<Result>>
  withLock<Result>(key: string, options: AcquireOptions, body: Section<Result>): Promise<Awaited<Result>>
  async withLock<Result>(
    key: string,
    optionsOrBody: AcquireOptions | Section<Result>,
    bodyOrNothing?: Section<Result>,
  ): Promise<Awaited<Result>> {
    const acquirer = new Acquirer(this.#nameOf(this.indexOf(key)), this.#terms)
    return typeof optionsOrBody === 'function'
      ? await acquirer.withLock(NO_OPTIONS, optionsOrBody)
      : await acquirer.withLock(optionsOrBody, bodyOrNothing)
  }

  /** Takes any stripe, runs `body`, and releases the stripe when the body has settled. As `Lock.withLock`. */
  withAny<Result>(body: StripeSection<Result>): Promise<Awaited<Result>>
  withAny<Result>(options: AcquireOptions, body: StripeSection<Result>): Promise<Awaited<Result>>
  async withAny<Result>(
    optionsOrBody: AcquireOptions | StripeSection<Result>,
    bodyOrNothing?: StripeSection<Result>,
  ): Promise<Awaited<Result>> {
    const options = typeof optionsOrBody === 'function' ? NO_OPTIONS : optionsOrBody
    const body = typeof optionsOrBody === 'function' ? optionsOrBody : bodyOrNothing
    const { owners, locker } = this.#terms
    checkAcquireOptions(options, owners)
    if (typeof body !== 'function') throw new InvalidArgumentError('body', body, 'a function')
    const caller = this.#acquirer.callerOrNew(options.owner)
    const scope = new Scope(caller.owner, caller)
    const outcome = await this.#takeAny(options, Number.POSITIVE_INFINITY, caller, scope)
    const { index, grant } = this.#grantedOrThrow(outcome, options)
    if (caller !== owners.current()) caller.end()
    return await runSection(new StripeHold(index, grant, this.#terms, undefined), grant, {
      body,
      scope,
      owners,
      onLost: options.onLost,
      onTrouble: (error) => locker.emit('error', error),
    })
  }

  /** Takes any stripe, and waits for the first free one for at most `waitMs`. As `Lock.acquire`. */
  async acquireAny(options: AcquireOptions = NO_OPTIONS): Promise<StripeHold> {
    checkAcquireOptions(options, this.#terms.owners)
    const scope = this.#acquirer.callerOrNew(options.owner)
    const outcome = await this.#takeAny(options, Number.POSITIVE_INFINITY, scope, scope)
    return this.#begin(this.#grantedOrThrow(outcome, options), scope)
  }

  /** Takes any stripe if one is free within `waitMs` (default 0: tries all of them once); otherwise returns `null`. */
  async tryAcquireAny(options: AcquireOptions = NO_OPTIONS): Promise<StripeHold | null> {
    checkAcquireOptions(options, this.#terms.owners)
    const scope = this.#acquirer.callerOrNew(options.owner)
    const outcome = await this.#takeAny(options, 0, scope, scope)
    if ('grant' in outcome) return this.#begin(outcome, scope)
    if (outcome.cause !== undefined) throw outcome.cause
    return null
  }

  #nameOf(index: number): string {
    return `${this.name}:${index}`
  }

  #takeAny(options: AcquireOptions, waitMs: number, caller: Scope, holder: Scope): Promise<AnyOutcome> {
    const { locker, owners, maxHoldMs } = this.#terms
    const { signal } = options
    const anyOf = new AcquireAny(locker, (index) => this.#nameOf(index), this.stripes, {
      caller,
      holder,
      unrelated: options.owner === undefined && caller !== owners.current(),
      waitMs: options.waitMs ?? waitMs,
      leaseMs: options.leaseMs,
      maxHoldMs: options.maxHoldMs ?? maxHoldMs,
      signal,
    })
    if (!acquireChannel.hasSubscribers) return anyOf.run()
    const told = { name: this.name, owner: caller.owner, signal, clock: locker.schedule.clock }
    return traceAcquire(
      told,
      () => anyOf.run(),
      (outcome) => resultOf('grant' in outcome ? outcome.grant : outcome),
    )
  }

  #grantedOrThrow(
    outcome: AnyOutcome,
    options: AcquireOptions,
  ): Exclude<AnyOutcome, { readonly cause: unknown }> {
    if ('grant' in outcome) return outcome
    if (options.waitMs === 0 && outcome.cause !== undefined) throw outcome.cause
    throw new LockTimeoutError(this.name, outcome.waitedMs, outcome, outcome.cause)
  }

  #begin({ index, grant }: { readonly index: number; readonly grant: HoldRecord }, scope: Scope): StripeHold {
    beginHold(traceOf(grant))
    const ownScope = scope === this.#terms.owners.current() ? undefined : scope
    const hold = new StripeHold(index, grant, this.#terms, ownScope)
    return warnIfDropped(hold, [{ grant, locker: this.#terms.locker }])
  }
}
